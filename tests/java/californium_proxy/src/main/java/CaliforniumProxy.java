import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import org.eclipse.californium.core.CoapServer;
import org.eclipse.californium.core.network.CoapEndpoint;
import org.eclipse.californium.core.network.config.NetworkConfig;
import org.eclipse.californium.proxy2.ClientSingleEndpoint;
import org.eclipse.californium.proxy2.resources.ProxyCacheResource;
import org.eclipse.californium.proxy2.resources.ProxyCoapResource;

/** The caching reverse proxy of Californium: PORT DESTINATION gives out the destination as the resource "reading". */
public class CaliforniumProxy {
  public static void main(String[] arguments) throws Exception {
    NetworkConfig config = NetworkConfig.createStandardWithoutFile();
    NetworkConfig.setStandard(config);
    InetAddress here = InetAddress.getLoopbackAddress();
    int port = Integer.parseInt(arguments[0]);
    CoapEndpoint readers = endpoint(config, new InetSocketAddress(here, port));
    CoapEndpoint origin = endpoint(config, new InetSocketAddress(here, 0));
    ProxyCoapResource reading =
        ProxyCoapResource.createReverseProxy(
            "reading", true, true, false, new URI(arguments[1]), new ClientSingleEndpoint(origin));
    reading.setCache(new ProxyCacheResource(true));
    CoapServer server = new CoapServer(config);
    server.addEndpoint(readers);
    server.add(reading);
    server.start();
    System.out.println("ready");
    // It stops with whoever has started it.
    while (System.in.read() >= 0) {}
    System.exit(0);
  }

  private static CoapEndpoint endpoint(NetworkConfig config, InetSocketAddress address) {
    return new CoapEndpoint.Builder().setNetworkConfig(config).setInetSocketAddress(address).build();
  }
}
