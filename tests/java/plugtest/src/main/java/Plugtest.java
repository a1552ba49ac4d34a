import java.net.URI;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.eclipse.californium.core.coap.CoAP.Code;
import org.eclipse.californium.core.coap.CoAP.ResponseCode;
import org.eclipse.californium.core.coap.CoAP.Type;
import org.eclipse.californium.core.coap.MediaTypeRegistry;
import org.eclipse.californium.core.coap.Request;
import org.eclipse.californium.core.coap.Response;
import org.eclipse.californium.core.coap.Token;
import org.eclipse.californium.core.config.CoapConfig;
import org.eclipse.californium.core.network.CoapEndpoint;
import org.eclipse.californium.core.network.interceptors.MessageInterceptorAdapter;
import org.eclipse.californium.elements.config.Configuration;

/**
 * The cases of the ETSI CoAP plugtests (TD_COAP_CORE, LINK, BLOCK, OBS), by Californium's client.
 *
 * <p>{@code URI [CASE...]} runs these cases, or all, and prints {@code CASE passed} or {@code CASE failed: why} for each. It
 * exits with 1 if one has failed.
 */
public final class Plugtest {
  private static final int TEXT = MediaTypeRegistry.TEXT_PLAIN;
  private static final int LINKS = MediaTypeRegistry.APPLICATION_LINK_FORMAT;
  private static final int BLOCK_BYTES = 64;
  private static final long PATIENCE_MS = 10_000;
  private static final String LARGE_BODY = "0123456789abcde\n".repeat(20);

  private interface Case {
    void run() throws Exception;
  }

  /** What a server should not have done. */
  private static final class Failure extends Exception {
    Failure(String why) {
      super(why);
    }
  }

  private final Map<String, Case> cases = new LinkedHashMap<>();
  private final BlockingQueue<Response> notifications = new LinkedBlockingQueue<>();
  private final BlockingQueue<Response> arrived = new LinkedBlockingQueue<>();
  private final String base;
  private final CoapEndpoint endpoint;
  private volatile int toDrop;

  private Plugtest(String base) throws Exception {
    this.base = base;
    CoapConfig.register();
    Configuration settings = Configuration.createStandardWithoutFile();
    settings.set(CoapConfig.PREFERRED_BLOCK_SIZE, BLOCK_BYTES);
    settings.set(CoapConfig.MAX_MESSAGE_SIZE, BLOCK_BYTES);
    endpoint = CoapEndpoint.builder().setConfiguration(settings).build();
    endpoint.addNotificationListener((request, response) -> notifications.add(response));
    endpoint.addInterceptor(
        new MessageInterceptorAdapter() {
          @Override
          public void receiveResponse(Response response) {
            arrived.add(response);
            if (toDrop > 0) {
              toDrop--;
              response.cancel();
            }
          }
        });
    endpoint.start();
    addCore();
    addLinks();
    addBlocks();
    addObservations();
  }

  public static void main(String[] arguments) throws Exception {
    Plugtest plugtest = new Plugtest(arguments[0]);
    List<String> wanted = Arrays.asList(arguments).subList(1, arguments.length);
    boolean passes = true;
    for (String name : wanted.isEmpty() ? plugtest.cases.keySet() : wanted) {
      try {
        plugtest.cases.get(name).run();
        System.out.println(name + " passed");
      } catch (Failure failure) {
        passes = false;
        System.out.println(name + " failed: " + failure.getMessage());
      }
    }
    System.exit(passes ? 0 : 1);
  }

  private void addCore() {
    Type[] types = {Type.CON, Type.NON};
    for (int place = 0; place < types.length; place++) {
      Type type = types[place];
      int first = 1 + 4 * place;
      // A non-confirmable request is answered by a non-confirmable message.
      Type back = type == Type.CON ? Type.ACK : Type.NON;
      core(first, () -> content(answered(get("test", type), back), TEXT));
      core(first + 1, () -> code(answered(of(Code.DELETE, "test", type), back), ResponseCode.DELETED));
      core(first + 2, () -> changed(answered(body(of(Code.PUT, "test", type), "put"), back)));
      core(first + 3, () -> changed(answered(body(of(Code.POST, "test", type), "posted"), back)));
    }
    core(9, () -> content(answered(get("separate", Type.CON), Type.CON), TEXT));
    core(10, () -> content(answered(withToken(get("test", Type.CON)), Type.ACK), TEXT));
    core(11, () -> content(answered(withToken(get("separate", Type.CON)), Type.CON), TEXT));
    core(
        12,
        () -> {
          Request request = get("test", Type.CON);
          request.setToken(Token.EMPTY);
          content(answered(request, Type.ACK), TEXT);
        });
    core(13, () -> content(answered(get("seg1/seg2/seg3", Type.CON), Type.ACK), TEXT));
    core(
        14,
        () -> {
          Response response = answered(get("query?first=1&second=2", Type.CON), Type.ACK);
          content(response, TEXT);
          holds(response.getPayloadString().contains("second=2"), "the arguments are not given back");
        });
    core(15, () -> lossy("test", Type.ACK));
    core(16, () -> lossy("separate", Type.CON));
    core(17, () -> content(answered(get("separate", Type.NON), Type.NON), TEXT));
    core(
        18,
        () -> {
          Response response = answered(body(of(Code.POST, "test", Type.CON), "made"), Type.ACK);
          code(response, ResponseCode.CREATED);
          List<String> place = response.getOptions().getLocationPath();
          same(place, List.of("location1", "location2", "location3"), "Location-Path");
          Response made = answered(get(String.join("/", place), Type.CON), Type.ACK);
          same(made.getPayloadString(), "made", "the resource at this place");
        });
    core(
        19,
        () -> {
          Request request = body(of(Code.POST, "location-query", Type.CON), "x");
          Response response = answered(request, Type.ACK);
          code(response, ResponseCode.CREATED);
          List<String> expected = List.of("first=1", "second=2");
          same(response.getOptions().getLocationQuery(), expected, "Location-Query");
        });
    core(
        20,
        () -> {
          int[] formats = {
            TEXT,
            MediaTypeRegistry.APPLICATION_XML,
            MediaTypeRegistry.APPLICATION_JSON,
            MediaTypeRegistry.APPLICATION_CBOR
          };
          for (int format : formats) {
            Request request = get("multi-format", Type.CON);
            request.getOptions().setAccept(format);
            content(answered(request, Type.ACK), format);
          }
        });
    core(21, this::checkEntityTags);
    core(22, this::checkIfMatch);
    core(23, this::checkIfNoneMatch);
    core(
        31,
        () -> {
          Request ping = new Request(null, Type.CON);
          ping.setURI(base);
          ping.setToken(Token.EMPTY);
          ping.send(endpoint);
          ping.waitForResponse(PATIENCE_MS);
          holds(ping.isRejected(), "a ping is not answered by RST");
        });
  }

  private void checkEntityTags() throws Exception {
    Response first = answered(get("validate", Type.CON), Type.ACK);
    content(first, TEXT);
    byte[] tag = first.getOptions().getETags().get(0);
    Request again = get("validate", Type.CON);
    again.getOptions().addETag(tag);
    code(answered(again, Type.ACK), ResponseCode.VALID);
    changed(answered(body(of(Code.PUT, "validate", Type.CON), "other"), Type.ACK));
    Request later = get("validate", Type.CON);
    later.getOptions().addETag(tag);
    Response changed = answered(later, Type.ACK);
    content(changed, TEXT);
    holds(!Arrays.equals(changed.getOptions().getETags().get(0), tag), "the entity tag has not changed");
  }

  private void checkIfMatch() throws Exception {
    byte[] tag = answered(get("validate", Type.CON), Type.ACK).getOptions().getETags().get(0);
    Request first = body(of(Code.PUT, "validate", Type.CON), "first");
    first.getOptions().addIfMatch(tag);
    code(answered(first, Type.ACK), ResponseCode.CHANGED);
    Request second = body(of(Code.PUT, "validate", Type.CON), "second");
    second.getOptions().addIfMatch(tag);
    code(answered(second, Type.ACK), ResponseCode.PRECONDITION_FAILED);
    same(answered(get("validate", Type.CON), Type.ACK).getPayloadString(), "first", "the resource");
  }

  private void checkIfNoneMatch() throws Exception {
    answered(of(Code.DELETE, "create1", Type.CON), Type.ACK);
    ResponseCode[] codes = {ResponseCode.CREATED, ResponseCode.PRECONDITION_FAILED};
    for (ResponseCode expected : codes) {
      Request request = body(of(Code.PUT, "create1", Type.CON), "made");
      request.getOptions().setIfNoneMatch(true);
      code(answered(request, Type.ACK), expected);
    }
  }

  /** The first answer is lost: the client asks again by the same message, and gets the same answer. */
  private void lossy(String path, Type type) throws Exception {
    Request request = get(path, Type.CON);
    toDrop = 1;
    content(answered(request, type), TEXT);
    holds(toDrop == 0, "no answer was lost");
  }

  private void addLinks() {
    link(1, "", "</test>", "");
    link(2, "?rt=Type1", "</link1>", "</link2>");
    link(3, "?rt=*", "</link2>", "</test>");
    link(4, "?rt=Type2", "</link2>", "</link3>");
    link(5, "?if=If*", "</link1>", "</link3>");
    link(6, "?sz=*", "</large>", "</test>");
    link(7, "?href=/link1", "</link1>", "</link2>");
    link(8, "?href=/link*", "</link3>", "</test>");
    cases.put(
        "LINK_09",
        () -> {
          listed("?ct=40", "</path>", "</test>");
          Response below = answered(get("path", Type.CON), Type.ACK);
          content(below, LINKS);
          holds(below.getPayloadString().contains("</path/sub1>"), "/path does not list /path/sub1");
          content(answered(get("path/sub1", Type.CON), Type.ACK), TEXT);
        });
  }

  private void listed(String filter, String present, String absent) throws Exception {
    Response response = ask(get(".well-known/core" + filter, Type.CON));
    content(response, LINKS);
    String links = response.getPayloadString();
    holds(links.contains(present), present + " is missing in " + links);
    holds(absent.isEmpty() || !links.contains(absent), absent + " does not pass the filter");
  }

  private void addBlocks() {
    block(1, () -> large(BLOCK_BYTES, true));
    block(2, () -> large(BLOCK_BYTES, false));
    block(
        3,
        () -> {
          changed(ask(body(of(Code.PUT, "large-update", Type.CON), LARGE_BODY)));
          same(ask(get("large-update", Type.CON)).getPayloadString(), LARGE_BODY, "the body");
        });
    block(
        4,
        () -> {
          Response made = ask(body(of(Code.POST, "large-create", Type.CON), LARGE_BODY));
          code(made, ResponseCode.CREATED);
          String place = String.join("/", made.getOptions().getLocationPath());
          same(ask(get(place, Type.CON)).getPayloadString(), LARGE_BODY, "the body");
        });
    block(
        5,
        () -> {
          Response both = ask(body(of(Code.POST, "large-post", Type.CON), LARGE_BODY));
          code(both, ResponseCode.CHANGED);
          holds(both.getPayloadSize() > BLOCK_BYTES, "the answer needs no blocks");
        });
    block(6, () -> large(16, true));
  }

  private void large(int blockBytes, boolean isEarly) throws Exception {
    Request request = get("large", Type.CON);
    int exponent = Integer.numberOfTrailingZeros(blockBytes) - 4;
    if (isEarly) {
      request.getOptions().setBlock2(exponent, false, 0);
    }
    arrived.clear();
    Response response = ask(request);
    content(response, TEXT);
    Response last = null;
    int count = 0;
    while (!arrived.isEmpty()) {
      last = arrived.poll();
      count++;
    }
    holds(last != null && last.getOptions().hasBlock2(), "the answer is not in blocks");
    int bytes = last.getOptions().getBlock2().getSize();
    same(bytes, blockBytes, "the size of blocks");
    // Without early negotiation the first block has the size that the server prefers.
    int expected = isEarly ? response.getPayloadSize() / bytes : 2;
    holds(count >= expected, count + " blocks hold " + response.getPayloadSize() + " B");
  }

  private void addObservations() {
    observation(1, () -> notifiedTwice("obs", Type.CON));
    observation(2, () -> notifiedTwice("obs-non", Type.NON));
    observation(
        5,
        () -> {
          observe("obs");
          // The client is off until the server has given up all retransmissions (RFC 7252 section 4.8.2).
          toDrop = Integer.MAX_VALUE;
          Thread.sleep(110_000);
          toDrop = 0;
          silent("a client that was off is still an observer");
        });
    observation(
        6,
        () -> {
          Request observed = observe("obs");
          // The client answers what it does not know by RST.
          endpoint.cancelObservation(observed.getToken());
          Thread.sleep(6_000);
          silent("a client that has answered by RST is still an observer");
        });
    observation(
        7,
        () -> {
          observe("obs");
          code(ask(of(Code.DELETE, "obs", Type.CON)), ResponseCode.DELETED);
          ended(ResponseCode.NOT_FOUND);
        });
    observation(
        8,
        () -> {
          observe("obs");
          Request other = of(Code.PUT, "obs", Type.CON);
          other.setPayload("{}");
          other.getOptions().setContentFormat(MediaTypeRegistry.APPLICATION_JSON);
          code(ask(other), ResponseCode.CHANGED);
          ended(ResponseCode.NOT_ACCEPTABLE);
        });
    observation(
        9,
        () -> {
          Request observed = observe("obs");
          code(ask(body(of(Code.PUT, "obs", Type.CON), "new")), ResponseCode.CHANGED);
          same(notified(Type.CON).getPayloadString(), "new", "the notification");
          end(observed);
        });
    observation(
        10,
        () -> {
          Request observed = observe("obs");
          notified(Type.CON);
          Response other = ask(get("obs", Type.CON));
          holds(!other.getOptions().hasObserve(), "a plain GET is answered with Observe");
          notified(Type.CON);
          end(observed);
        });
  }

  private void notifiedTwice(String path, Type type) throws Exception {
    Request observed = observe(path);
    notified(type);
    notified(type);
    end(observed);
  }

  private Request observe(String path) throws Exception {
    notifications.clear();
    Request request = get(path, Type.CON);
    request.setObserve();
    Response first = answered(request, Type.ACK);
    content(first, TEXT);
    holds(first.getOptions().hasObserve(), "the first answer has no Observe");
    return request;
  }

  private Response notified(Type type) throws Exception {
    Response response = notifications.poll(PATIENCE_MS, TimeUnit.MILLISECONDS);
    holds(response != null, "there was no notification in " + PATIENCE_MS / 1000 + " s");
    content(response, TEXT);
    same(response.getType(), type, "the type of the notification");
    holds(response.getOptions().hasObserve(), "the notification has no Observe");
    return response;
  }

  /** The observation has ended by an error, which is the last that the client hears. */
  private void ended(ResponseCode code) throws Exception {
    Response last = notifications.poll(PATIENCE_MS, TimeUnit.MILLISECONDS);
    holds(last != null, "the observer is not told of the end");
    code(last, code);
    holds(!last.getOptions().hasObserve(), "the last notification has Observe");
    silent("a notification follows the last one");
  }

  private void silent(String failure) throws Exception {
    notifications.clear();
    arrived.clear();
    holds(arrived.poll(7, TimeUnit.SECONDS) == null, failure);
  }

  private void end(Request observed) throws Exception {
    Request cancel = Request.newGet();
    cancel.setURI(observed.getURI());
    cancel.setToken(observed.getToken());
    cancel.setObserveCancel();
    Response response = ask(cancel);
    endpoint.cancelObservation(observed.getToken());
    holds(!response.getOptions().hasObserve(), "an observation cannot be cancelled");
  }

  private Request of(Code code, String path, Type type) {
    Request request = new Request(code, type);
    request.setURI(URI.create(base + "/" + path));
    return request;
  }

  private Request get(String path, Type type) {
    return of(Code.GET, path, type);
  }

  private static Request body(Request request, String body) {
    request.setPayload(body);
    request.getOptions().setContentFormat(TEXT);
    return request;
  }

  private static Request withToken(Request request) {
    request.setToken(new Token(new byte[] {1, 2, 3, 4, 5, 6, 7, 8}));
    return request;
  }

  private Response ask(Request request) throws Exception {
    request.send(endpoint);
    Response response = request.waitForResponse(PATIENCE_MS);
    holds(response != null, "there was no answer in " + PATIENCE_MS / 1000 + " s");
    return response;
  }

  /** The answer to a request that needs no blocks. */
  private Response answered(Request request, Type type) throws Exception {
    Response response = ask(request);
    same(response.getToken(), request.getToken(), "the token");
    same(response.getType(), type, "the type of the answer");
    return response;
  }

  private static void content(Response response, int format) throws Failure {
    code(response, ResponseCode.CONTENT);
    same(response.getOptions().getContentFormat(), format, "Content-Format");
    holds(response.getPayloadSize() > 0, "the answer is empty");
  }

  private static void changed(Response response) throws Failure {
    ResponseCode code = response.getCode();
    boolean isChanged = code == ResponseCode.CHANGED || code == ResponseCode.CREATED;
    holds(isChanged, "the code is " + code + ", not 2.01 or 2.04");
  }

  private static void code(Response response, ResponseCode expected) throws Failure {
    same(response.getCode(), expected, "the code");
  }

  private static void same(Object found, Object expected, String what) throws Failure {
    holds(Objects.equals(found, expected), what + " is " + found + ", not " + expected);
  }

  private static void holds(boolean isSo, String failure) throws Failure {
    if (!isSo) {
      throw new Failure(failure);
    }
  }

  private void core(int number, Case run) {
    cases.put(String.format("CORE_%02d", number), run);
  }

  private void link(int number, String filter, String present, String absent) {
    cases.put(String.format("LINK_%02d", number), () -> listed(filter, present, absent));
  }

  private void block(int number, Case run) {
    cases.put(String.format("BLOCK_%02d", number), run);
  }

  private void observation(int number, Case run) {
    cases.put(String.format("OBS_%02d", number), run);
  }
}
