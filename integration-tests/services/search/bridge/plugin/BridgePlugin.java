package bridge;

import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.elasticsearch.Build;
import org.elasticsearch.client.internal.node.NodeClient;
import org.elasticsearch.common.settings.Settings;
import org.elasticsearch.plugins.ActionPlugin;
import org.elasticsearch.plugins.Plugin;
import org.elasticsearch.plugins.ScriptPlugin;
import org.elasticsearch.rest.BaseRestHandler;
import org.elasticsearch.rest.RestRequest;
import org.elasticsearch.rest.RestResponse;
import org.elasticsearch.rest.RestStatus;
import org.elasticsearch.script.ScriptContext;
import org.elasticsearch.script.ScriptEngine;
import org.elasticsearch.xcontent.XContentBuilder;

/**
 * What Elasticsearch publishes no Maven artifacts of since 7.x, and a sink needs: Painless in the context of updates, by the last compiler that was
 * published, and the answer to GET /. A subclass for each major version adds the REST handler, whose method differs.
 */
public abstract class BridgePlugin extends Plugin implements ScriptPlugin, ActionPlugin {
    @Override
    public ScriptEngine getScriptEngine(Settings settings, Collection<ScriptContext<?>> contexts) {
        try {
            ClassLoader loader = new PainlessLoader(painlessJars(), BridgePlugin.class.getClassLoader());
            Object whitelists = loader.loadClass("org.elasticsearch.painless.spi.Whitelist").getField("BASE_WHITELISTS").get(null);
            Map<ScriptContext<?>, Object> known = new HashMap<>();
            contexts.stream().filter(context -> context.name.equals("update")).forEach(context -> known.put(context, whitelists));
            Class<?> engine = loader.loadClass("org.elasticsearch.painless.PainlessScriptEngine");
            return (ScriptEngine) engine.getConstructor(Settings.class, Map.class).newInstance(Settings.EMPTY, known);
        } catch (ReflectiveOperationException error) {
            throw new IllegalStateException("Painless cannot be loaded", error);
        }
    }

    private static URL[] painlessJars() {
        try {
            Path own = Path.of(BridgePlugin.class.getProtectionDomain().getCodeSource().getLocation().toURI());
            List<URL> jars = new ArrayList<>();
            File[] files = own.resolveSibling("painless").toFile().listFiles();
            Arrays.sort(files);
            for (File file : files) jars.add(file.toURI().toURL());
            return jars.toArray(new URL[0]);
        } catch (Exception error) {
            throw new IllegalStateException(error);
        }
    }

    /** Asks its own jars before the server: the old compiler must find the few classes that stand in for what is gone. */
    private static final class PainlessLoader extends URLClassLoader {
        PainlessLoader(URL[] jars, ClassLoader server) {
            super(jars, server);
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            synchronized (getClassLoadingLock(name)) {
                Class<?> found = findLoadedClass(name);
                if (found != null) return found;
                try {
                    return findClass(name);
                } catch (ClassNotFoundException error) {
                    return super.loadClass(name, resolve);
                }
            }
        }

        @Override
        public URL getResource(String name) {
            URL own = findResource(name);
            return own == null ? super.getResource(name) : own;
        }
    }

    /** GET /, as far as clients look at it. */
    static final class RootHandler extends BaseRestHandler {
        @Override
        public String getName() {
            return "root";
        }

        @Override
        public List<Route> routes() {
            return List.of(new Route(RestRequest.Method.GET, "/"));
        }

        @Override
        protected RestChannelConsumer prepareRequest(RestRequest request, NodeClient client) {
            return channel -> {
                XContentBuilder answer = channel.newBuilder().startObject().startObject("version");
                answer.field("number", Build.current().version()).endObject();
                answer.field("tagline", "You Know, for Search").endObject();
                channel.sendResponse(new RestResponse(RestStatus.OK, answer));
            };
        }
    }
}
