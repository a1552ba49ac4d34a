import java.net.InetSocketAddress;
import java.net.URI;
import java.util.HexFormat;
import java.util.List;
import org.eclipse.californium.core.CoapClient;
import org.eclipse.californium.core.CoapResource;
import org.eclipse.californium.core.CoapResponse;
import org.eclipse.californium.core.CoapServer;
import org.eclipse.californium.core.config.CoapConfig;
import org.eclipse.californium.core.network.CoapEndpoint;
import org.eclipse.californium.core.server.resources.CoapExchange;
import org.eclipse.californium.elements.config.Configuration;
import org.eclipse.californium.scandium.DTLSConnector;
import org.eclipse.californium.scandium.config.DtlsConfig;
import org.eclipse.californium.scandium.config.DtlsConfig.DtlsRole;
import org.eclipse.californium.scandium.config.DtlsConnectorConfig;
import org.eclipse.californium.scandium.dtls.cipher.CipherSuite;
import org.eclipse.californium.scandium.dtls.pskstore.AdvancedSinglePskStore;

/**
 * CoAP over DTLS with a pre-shared key and connection IDs (RFC 9146) by Californium and Scandium.
 *
 * <p>{@code get URI IDENTITY KEY} asks three times over one session and prints the last answer; {@code serve URI IDENTITY
 * KEY BODY} serves the body at every path, and prints {@code ready}. Keys are hexadecimal digits.
 */
public final class ScandiumPeer {
  private static final int CONNECTION_ID_LENGTH = 6;

  public static void main(String[] arguments) throws Exception {
    DtlsConfig.register();
    CoapConfig.register();
    boolean serves = arguments[0].equals("serve");
    URI uri = URI.create(arguments[1]);
    Configuration settings = Configuration.createStandardWithoutFile();
    settings.set(DtlsConfig.DTLS_ROLE, serves ? DtlsRole.SERVER_ONLY : DtlsRole.CLIENT_ONLY);
    settings.set(DtlsConfig.DTLS_CONNECTION_ID_LENGTH, serves ? CONNECTION_ID_LENGTH : 0);
    settings.set(
        DtlsConfig.DTLS_CIPHER_SUITES, List.of(CipherSuite.TLS_PSK_WITH_AES_128_CCM_8));
    settings.set(DtlsConfig.DTLS_RECOMMENDED_CIPHER_SUITES_ONLY, false);
    DtlsConnectorConfig.Builder dtls = DtlsConnectorConfig.builder(settings);
    byte[] key = HexFormat.of().parseHex(arguments[3]);
    dtls.setAdvancedPskStore(new AdvancedSinglePskStore(arguments[2], key));
    if (serves) {
      dtls.setAddress(new InetSocketAddress(uri.getHost(), uri.getPort()));
    }
    CoapEndpoint endpoint =
        CoapEndpoint.builder()
            .setConfiguration(settings)
            .setConnector(new DTLSConnector(dtls.build()))
            .build();
    if (serves) {
      serve(settings, endpoint, uri.getPath().substring(1), arguments[4]);
    } else {
      ask(endpoint, uri);
    }
  }

  private static void ask(CoapEndpoint endpoint, URI uri) throws Exception {
    CoapClient client = new CoapClient(uri).setEndpoint(endpoint);
    CoapResponse answer = null;
    for (int number = 0; number < 3; number++) {
      answer = client.get();
    }
    System.out.println(answer == null ? "no answer" : answer.getResponseText());
    client.shutdown();
    endpoint.destroy();
    System.exit(0);
  }

  private static void serve(
      Configuration settings, CoapEndpoint endpoint, String name, String body) {
    CoapServer server = new CoapServer(settings);
    server.addEndpoint(endpoint);
    server.add(
        new CoapResource(name) {
          @Override
          public void handleGET(CoapExchange exchange) {
            exchange.respond(body);
          }
        });
    server.start();
    System.out.println("ready");
  }
}
