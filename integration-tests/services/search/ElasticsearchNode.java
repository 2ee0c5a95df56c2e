import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import org.elasticsearch.common.logging.LogConfigurator;
import org.elasticsearch.common.settings.Settings;
import org.elasticsearch.env.Environment;
import org.elasticsearch.node.Node;
import org.elasticsearch.plugins.PluginBundle;
import org.elasticsearch.plugins.PluginsLoader;

/** One Elasticsearch node, 8.19 or 9.x, from the jars of its Maven artifacts. Arguments: its home, then settings as name=value. */
public final class ElasticsearchNode {
    private ElasticsearchNode() {}

    public static void main(String[] arguments) throws Exception {
        Path home = Path.of(arguments[0]);
        Settings.Builder settings = Settings.builder().put("path.home", home.toString());
        for (int i = 1; i < arguments.length; i++) {
            String[] pair = arguments[i].split("=", 2);
            settings.put(pair[0], pair[1]);
        }
        LogConfigurator.configureESLogging();
        LogConfigurator.setNodeName("test");
        PluginsLoader loader = PluginsLoader.createPluginsLoader(
            bundles("loadModulesBundles", home.resolve("modules")), bundles("loadPluginsBundles", home.resolve("plugins")), Map.of(), false);
        Node node = new Node(new Environment(settings.build(), home.resolve("config")), loader);
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

    /** 9.x asks for a flag beside the folder. */
    @SuppressWarnings("unchecked")
    private static Set<PluginBundle> bundles(String name, Path folder) throws Exception {
        Method method = Arrays.stream(PluginsLoader.class.getMethods()).filter(one -> one.getName().equals(name)).findFirst().orElseThrow();
        Object[] given = method.getParameterCount() == 1 ? new Object[] {folder} : new Object[] {folder, false};
        return (Set<PluginBundle>) method.invoke(null, given);
    }
}
