package org.elasticsearch.common.util;

import java.util.Map;

/** Stands in for the server's class, which has lost the method that the Painless compiler calls. */
public final class CollectionUtils {
    private CollectionUtils() {}

    public static <K, V> Map<K, V> copyMap(Map<K, V> map) {
        return Map.copyOf(map);
    }
}
