import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.paimon.data.BinaryRow;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.Decimal;
import org.apache.paimon.data.GenericArray;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.InternalArray;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.disk.IOManager;
import org.apache.paimon.fs.local.LocalFileIO;
import org.apache.paimon.reader.RecordReader;
import org.apache.paimon.schema.Schema;
import org.apache.paimon.schema.SchemaManager;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.node.ArrayNode;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.node.JsonNodeFactory;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.FileStoreTableFactory;
import org.apache.paimon.table.sink.StreamTableCommit;
import org.apache.paimon.table.sink.StreamTableWrite;
import org.apache.paimon.table.sink.StreamWriteBuilder;
import org.apache.paimon.table.source.ReadBuilder;
import org.apache.paimon.types.ArrayType;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.DataTypeJsonParser;
import org.apache.paimon.types.DecimalType;
import org.apache.paimon.types.RowKind;
import org.apache.paimon.types.RowType;

/**
 * Tells what a real Paimon table holds after some changes. Each line of the input is one table:
 *
 * <pre>{"id","columns":[{"name","type"}],"primaryKey":[name],"options":{},"commits":[[{"kind","row":[]}]],"compact":bool}</pre>
 *
 * and is answered by one line, {"id","rows":[[…]]} or {"id","error"}. BIGINT and DECIMAL are written as text. The table
 * lives in a temporary folder, without a catalog.
 */
public final class PaimonOracle {
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  public static void main(String[] arguments) throws Exception {
    var out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      out.println(MAPPER.writeValueAsString(answer(MAPPER.readTree(line))));
    }
    // the library leaves threads behind
    System.exit(0);
  }

  private static ObjectNode answer(JsonNode question) throws IOException {
    ObjectNode answer = MAPPER.createObjectNode();
    answer.set("id", question.get("id"));
    Path folder = Files.createTempDirectory("paimon-oracle");
    try {
      FileStoreTable table = createTable(question, folder);
      write(question, table, folder);
      answer.set("rows", read(table));
    } catch (Exception failure) {
      answer.put("error", describe(failure));
    } finally {
      remove(folder);
    }
    return answer;
  }

  private static FileStoreTable createTable(JsonNode question, Path folder) throws Exception {
    Schema.Builder schema = Schema.newBuilder();
    for (JsonNode column : question.get("columns")) {
      schema.column(column.get("name").asText(), type(column.get("type").asText()));
    }
    List<String> key = new ArrayList<>();
    for (JsonNode name : question.get("primaryKey")) key.add(name.asText());
    schema.primaryKey(key);
    Map<String, String> options = new HashMap<>(Map.of("bucket", "1", "file.format", "avro"));
    question.get("options").fields().forEachRemaining(option -> options.put(option.getKey(), option.getValue().asText()));
    schema.options(options);
    LocalFileIO files = LocalFileIO.create();
    var location = new org.apache.paimon.fs.Path(folder.resolve("table").toUri());
    new SchemaManager(files, location).createTable(schema.build());
    return FileStoreTableFactory.create(files, location);
  }

  private static void write(JsonNode question, FileStoreTable table, Path folder) throws Exception {
    RowType rowType = table.rowType();
    boolean compact = question.path("compact").asBoolean();
    StreamWriteBuilder builder = table.newStreamWriteBuilder().withCommitUser("oracle");
    try (IOManager spill = IOManager.create(folder.resolve("spill").toString());
        StreamTableWrite writer = (StreamTableWrite) builder.newWrite().withIOManager(spill);
        StreamTableCommit committer = builder.newCommit()) {
      long commit = 0;
      for (JsonNode records : question.get("commits")) {
        for (JsonNode record : records) writer.write(row(record, rowType));
        if (compact) writer.compact(BinaryRow.EMPTY_ROW, 0, true);
        committer.commit(commit, writer.prepareCommit(true, commit));
        commit++;
      }
    }
  }

  private static ArrayNode read(FileStoreTable table) throws Exception {
    List<DataField> fields = table.rowType().getFields();
    ArrayNode rows = MAPPER.createArrayNode();
    ReadBuilder builder = table.newReadBuilder();
    try (RecordReader<InternalRow> reader = builder.newRead().createReader(builder.newScan().plan())) {
      reader.forEachRemaining(
          stored -> {
            ArrayNode row = rows.addArray();
            for (int at = 0; at < fields.size(); at++) {
              DataType type = fields.get(at).type();
              row.add(toJson(InternalRow.createFieldGetter(type, at).getFieldOrNull(stored), type));
            }
          });
    }
    return rows;
  }

  private static DataType type(String text) {
    if (text.endsWith(" NOT NULL")) return type(text.substring(0, text.length() - " NOT NULL".length())).notNull();
    if (text.startsWith("ARRAY<")) return new ArrayType(type(text.substring("ARRAY<".length(), text.length() - 1)));
    return DataTypeJsonParser.parseAtomicTypeSQLString(text);
  }

  private static GenericRow row(JsonNode record, RowType type) {
    JsonNode values = record.get("row");
    GenericRow row = new GenericRow(RowKind.fromShortString(record.get("kind").asText()), values.size());
    for (int at = 0; at < values.size(); at++) row.setField(at, fromJson(values.get(at), type.getTypeAt(at)));
    return row;
  }

  private static Object fromJson(JsonNode value, DataType type) {
    if (value.isNull()) return null;
    switch (type.getTypeRoot()) {
      case BOOLEAN:
        return value.asBoolean();
      case INTEGER:
        return value.asInt();
      case BIGINT:
        return Long.parseLong(value.asText());
      case DECIMAL:
        DecimalType decimal = (DecimalType) type;
        return Decimal.fromBigDecimal(new BigDecimal(value.asText()), decimal.getPrecision(), decimal.getScale());
      case VARCHAR:
        return BinaryString.fromString(value.asText());
      case ARRAY:
        List<Object> elements = new ArrayList<>();
        for (JsonNode element : value) elements.add(fromJson(element, ((ArrayType) type).getElementType()));
        return new GenericArray(elements.toArray());
      default:
        throw new IllegalArgumentException("the oracle reads no " + type);
    }
  }

  private static JsonNode toJson(Object value, DataType type) {
    if (value == null) return NODES.nullNode();
    switch (type.getTypeRoot()) {
      case BOOLEAN:
        return NODES.booleanNode((Boolean) value);
      case INTEGER:
        return NODES.numberNode((Integer) value);
      case ARRAY:
        DataType elementType = ((ArrayType) type).getElementType();
        InternalArray array = (InternalArray) value;
        ArrayNode elements = MAPPER.createArrayNode();
        for (int at = 0; at < array.size(); at++) {
          elements.add(toJson(InternalArray.createElementGetter(elementType).getElementOrNull(array, at), elementType));
        }
        return elements;
      default:
        return NODES.textNode(value.toString());
    }
  }

  private static String describe(Throwable failure) {
    var text = new StringBuilder(String.valueOf(failure.getMessage()));
    for (Throwable cause = failure.getCause(); cause != null; cause = cause.getCause()) text.append(" < ").append(cause.getMessage());
    return text.toString();
  }

  private static void remove(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) Files.delete(file);
    }
  }
}
