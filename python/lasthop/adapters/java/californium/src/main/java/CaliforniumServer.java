import java.net.InetSocketAddress;
import java.util.concurrent.CountDownLatch;
import org.eclipse.californium.core.CoapResource;
import org.eclipse.californium.core.CoapServer;
import org.eclipse.californium.core.coap.CoAP.ResponseCode;
import org.eclipse.californium.core.coap.CoAP.Type;
import org.eclipse.californium.core.config.CoapConfig;
import org.eclipse.californium.core.network.CoapEndpoint;
import org.eclipse.californium.core.server.resources.CoapExchange;
import org.eclipse.californium.core.server.resources.Resource;
import org.eclipse.californium.elements.config.Configuration;

/** Keeps what is put or posted at any path and tells who observes it: ADDRESS PORT con|non. */
public final class CaliforniumServer {
    private CaliforniumServer() {}

    public static void main(String[] arguments) throws Exception {
        CoapConfig.register();
        Configuration settings = Configuration.createStandardWithoutFile();
        InetSocketAddress address = new InetSocketAddress(arguments[0], Integer.parseInt(arguments[1]));
        Type type = arguments[2].equals("non") ? Type.NON : Type.CON;
        CoapServer server = new CoapServer(settings) {
            @Override
            protected Resource createRoot() {
                return new Kept("", type);
            }
        };
        server.addEndpoint(
            CoapEndpoint.builder().setConfiguration(settings).setInetSocketAddress(address).build());
        server.start();
        new CountDownLatch(1).await();
    }

    /** What was put last, and all that lies below it. */
    private static final class Kept extends CoapResource {
        private final Type type;
        private volatile byte[] content;

        Kept(String name, Type type) {
            super(name);
            this.type = type;
            setObservable(true);
            setObserveType(type);
        }

        @Override
        public synchronized Resource getChild(String name) {
            Resource child = super.getChild(name);
            if (child == null) {
                child = new Kept(name, type);
                add(child);
            }
            return child;
        }

        @Override
        public void handleGET(CoapExchange exchange) {
            byte[] kept = content;
            if (kept == null) {
                exchange.respond(ResponseCode.NOT_FOUND);
            } else {
                exchange.respond(ResponseCode.CONTENT, kept);
            }
        }

        @Override
        public void handlePUT(CoapExchange exchange) {
            boolean isNew = content == null;
            content = exchange.getRequestPayload();
            exchange.respond(isNew ? ResponseCode.CREATED : ResponseCode.CHANGED);
            changed();
        }

        @Override
        public void handlePOST(CoapExchange exchange) {
            handlePUT(exchange);
        }
    }
}
