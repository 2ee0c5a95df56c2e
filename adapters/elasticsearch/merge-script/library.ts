/**
 * Functions in Painless that the scripts are made of, in the subset that every server has. Rows are maps as JSON gives them: whole numbers are
 * Integer or Long, DECIMAL and times are text, a number that JSON cannot say is its name.
 */
const functions = {
  compareText: `
int compareText(String a, String b) {
  int length = a.length() < b.length() ? a.length() : b.length();
  for (int i = 0; i < length; i++) {
    int x = (int) a.charAt(i);
    int y = (int) b.charAt(i);
    if (x == y) { continue; }
    boolean xHigh = x >= 55296 && x <= 57343;
    boolean yHigh = y >= 55296 && y <= 57343;
    if (xHigh == yHigh) { return x - y; }
    return xHigh ? 1 : -1;
  }
  return a.length() - b.length();
}`,
  compareDates: `
int eraOf(String text) { return text.startsWith('-') ? -1 : (text.startsWith('+') ? 1 : 0); }
int compareDates(String a, String b) {
  int x = eraOf(a);
  int y = eraOf(b);
  if (x != y) { return x - y; }
  if (x == 0) { return a.compareTo(b); }
  int p = a.indexOf('-', 1);
  int q = b.indexOf('-', 1);
  int years = Long.compare(Long.parseLong(a.substring(0, p)), Long.parseLong(b.substring(0, q)));
  return years != 0 ? years : a.substring(p).compareTo(b.substring(q));
}`,
  numbers: `
long wholeOf(def value) { return value instanceof String ? Long.parseLong((String) value) : ((Number) value).longValue(); }
double floatOf(def value) { return value instanceof String ? Double.parseDouble((String) value) : ((Number) value).doubleValue(); }
BigDecimal decimalOf(def value) { return new BigDecimal(value.toString()); }`,
  compareValues: `
int compareValues(String kind, def a, def b) {
  if (kind == 'whole') { return Long.compare(wholeOf(a), wholeOf(b)); }
  if (kind == 'decimal') { return decimalOf(a).compareTo(decimalOf(b)); }
  if (kind == 'float') { return Double.compare(floatOf(a), floatOf(b)); }
  if (kind == 'date') { return compareDates(a.toString(), b.toString()); }
  return compareText(a.toString(), b.toString());
}`,
  compareSequences: `
int compareSequences(String[] kinds, boolean descending, Map a, String[] aNames, Map b, String[] bNames) {
  for (int i = 0; i < kinds.length; i++) {
    def x = a.get(aNames[i]);
    def y = b.get(bNames[i]);
    if (x == null && y == null) { continue; }
    if (x == null) { return -1; }
    if (y == null) { return 1; }
    int order = descending ? compareValues(kinds[i], y, x) : compareValues(kinds[i], x, y);
    if (order != 0) { return order; }
  }
  return 0;
}`,
  same: `
boolean sameRow(Map a, Map b) {
  for (def key : b.keySet()) { if (!same(a.get(key), b.get(key))) { return false; } }
  return true;
}
boolean same(def a, def b) {
  if (a == null || b == null) { return a == null && b == null; }
  if (a instanceof Number && b instanceof Number) { return decimalOf(a).compareTo(decimalOf(b)) == 0; }
  if (a instanceof List && b instanceof List) {
    if (a.size() != b.size()) { return false; }
    for (int i = 0; i < a.size(); i++) { if (!same(a.get(i), b.get(i))) { return false; } }
    return true;
  }
  if (a instanceof Map && b instanceof Map) {
    if (a.size() != b.size()) { return false; }
    for (def key : a.keySet()) { if (!b.containsKey(key) || !same(a.get(key), b.get(key))) { return false; } }
    return true;
  }
  return a.equals(b);
}`,
  copyAll: `
void copyAll(Map into, String[] intoNames, Map from, String[] fromNames) {
  for (int i = 0; i < intoNames.length; i++) { into.put(intoNames[i], from.get(fromNames[i])); }
}
void copySent(Map into, Map from, String[] names) {
  for (String name : names) { if (from.containsKey(name)) { into.put(name, from.get(name)); } }
}
boolean allNull(Map row, String[] names) {
  for (String name : names) { if (row.get(name) != null) { return false; } }
  return true;
}`,
  inRange: `
def inRange(BigInteger value, long low, long high, String fault) {
  if (value.compareTo(BigInteger.valueOf(low)) < 0 || value.compareTo(BigInteger.valueOf(high)) > 0) { throw new IllegalArgumentException(fault); }
  return value.longValue();
}`,
  inPrecision: `
def inPrecision(BigDecimal value, int precision, int scale, String fault) {
  BigDecimal rounded = value.setScale(scale, RoundingMode.HALF_UP);
  if (rounded.abs().compareTo(BigDecimal.TEN.pow(precision - scale)) >= 0) { throw new IllegalArgumentException(fault); }
  return rounded.toPlainString();
}`,
  quotient: `
BigDecimal quotient(BigDecimal a, BigDecimal b, int scale) {
  BigInteger over = a.movePointRight(a.scale()).toBigIntegerExact().multiply(BigInteger.TEN.pow(b.scale() + scale));
  BigInteger under = b.movePointRight(b.scale()).toBigIntegerExact().multiply(BigInteger.TEN.pow(a.scale()));
  BigInteger two = BigInteger.valueOf(2);
  BigInteger rounded = over.abs().multiply(two).add(under.abs()).divide(under.abs().multiply(two));
  boolean negative = over.signum() * under.signum() < 0;
  return new BigDecimal((negative ? rounded.negate() : rounded).toString()).movePointLeft(scale);
}`,
  floatValue: `
def floatValue(double value, boolean single) {
  double rounded = single ? Double.parseDouble(Float.toString((float) value)) : value;
  if (Double.isNaN(rounded) || Double.isInfinite(rounded)) { return Double.toString(rounded); }
  return rounded == 0.0 ? 0.0 : rounded;
}`,
  entries: `
List entriesOf(String text, String delimiter) {
  List entries = new ArrayList();
  int from = 0;
  int to = text.indexOf(delimiter);
  while (to >= 0) {
    entries.add(text.substring(from, to));
    from = to + delimiter.length();
    to = text.indexOf(delimiter, from);
  }
  entries.add(text.substring(from));
  return entries;
}
String joined(String front, String back, String delimiter, boolean distinct) {
  if (!distinct) { return front + delimiter + back; }
  List there = entriesOf(front, delimiter);
  String result = front;
  for (def entry : entriesOf(back, delimiter)) { if (!there.contains(entry)) { result = result + delimiter + entry; } }
  return result;
}`,
  bags: `
boolean holds(List elements, def element) {
  for (def one : elements) { if (same(one, element)) { return true; } }
  return false;
}
List bagWithout(List elements, List removed, boolean distinct) {
  List left = new ArrayList(removed);
  List rest = new ArrayList();
  for (def element : elements) {
    int at = -1;
    for (int i = 0; i < left.size(); i++) { if (same(left.get(i), element)) { at = i; break; } }
    if (at < 0) { rest.add(element); } else if (!distinct) { left.remove(at); }
  }
  return rest;
}
List bagWith(List elements, List added, boolean distinct) {
  List all = new ArrayList(elements);
  for (def element : added) { if (!distinct || !holds(all, element)) { all.add(element); } }
  return all;
}`,
} satisfies Record<string, string>

export type LibraryFunction = keyof typeof functions

export const libraryFunctions = Object.keys(functions) as readonly LibraryFunction[]

/** Names that the entry defines. */
export function namesOf(entry: LibraryFunction): readonly string[] {
  return [...functions[entry].matchAll(/^(?:int|long|double|boolean|void|def|List|String|BigDecimal) (\w+)\(/gm)].map(
    ([, name = '']) => name,
  )
}

const needs: Partial<Record<LibraryFunction, readonly LibraryFunction[]>> = {
  compareValues: ['numbers', 'compareDates', 'compareText'],
  compareSequences: ['compareValues'],
  same: ['numbers'],
  inRange: ['numbers'],
  inPrecision: ['numbers'],
  quotient: ['numbers'],
  floatValue: ['numbers'],
  bags: ['same'],
}

/** The text of the functions with those that they call, each once. */
export function libraryText(wanted: ReadonlySet<LibraryFunction>): string {
  const all = new Set<LibraryFunction>()
  const add = (name: LibraryFunction): void => {
    for (const needed of needs[name] ?? []) add(needed)
    all.add(name)
  }
  for (const name of wanted) add(name)
  return [...all].map((name) => functions[name].trim()).join('\n')
}
