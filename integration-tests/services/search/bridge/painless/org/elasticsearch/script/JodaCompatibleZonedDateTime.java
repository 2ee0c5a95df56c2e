package org.elasticsearch.script;

/** Stands in for a class that the Painless compiler names. */
public abstract class JodaCompatibleZonedDateTime {}
