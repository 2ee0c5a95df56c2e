import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.opensearch.Version;
import org.opensearch.common.settings.Settings;
import org.opensearch.env.Environment;
import org.opensearch.node.Node;
import org.opensearch.plugins.PluginInfo;

/** One OpenSearch node, 2.x or 3.x, from the jars of its Maven artifacts. Arguments: its home, then settings as name=value. */
public final class OpenSearchNode extends Node {
    /** The names of each plugin's class in 3.x and in 2.x. */
    private static final String[][] PLUGINS = {
        {"org.opensearch.transport.Netty4ModulePlugin", "org.opensearch.transport.Netty4Plugin"},
        {"org.opensearch.painless.PainlessModulePlugin", "org.opensearch.painless.PainlessPlugin"},
    };

    /** The collection holds PluginInfo in 3.x and classes in 2.x; the erased signature is the same. */
    @SuppressWarnings({"unchecked", "rawtypes"})
    private OpenSearchNode(Environment environment, Collection plugins) {
        super(environment, plugins, false);
    }

    public static void main(String[] arguments) throws Exception {
        Path home = Path.of(arguments[0]);
        Settings.Builder settings = Settings.builder().put("path.home", home.toString());
        for (int i = 1; i < arguments.length; i++) {
            String[] pair = arguments[i].split("=", 2);
            settings.put(pair[0], pair[1]);
        }
        OpenSearchNode node = new OpenSearchNode(new Environment(settings.build(), home.resolve("config")), plugins());
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            try {
                node.close();
            } catch (Exception error) {
                error.printStackTrace();
            }
        }));
        node.start();
        Thread.currentThread().join();
    }

    private static List<Object> plugins() throws Exception {
        List<Object> plugins = new ArrayList<>();
        for (String[] names : PLUGINS) {
            Class<?> plugin = firstOf(names);
            plugins.add(Version.CURRENT.major < 3 ? plugin : new PluginInfo(
                plugin.getSimpleName(), "of the tests", Version.CURRENT.toString(), Version.CURRENT,
                System.getProperty("java.specification.version"), plugin.getName(), null, List.of(), false));
        }
        return plugins;
    }

    private static Class<?> firstOf(String[] names) throws ClassNotFoundException {
        for (String name : names) {
            try {
                return Class.forName(name);
            } catch (ClassNotFoundException error) {
                // the name in the other major version
            }
        }
        throw new ClassNotFoundException(names[0]);
    }
}
