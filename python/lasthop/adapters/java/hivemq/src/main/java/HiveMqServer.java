import com.hivemq.embedded.EmbeddedHiveMQ;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;

/** HiveMQ Community Edition, by the config.xml of a folder, until the process is ended. */
public final class HiveMqServer {
    private HiveMqServer() {}

    public static void main(String[] arguments) throws Exception {
        Path folder = Path.of(arguments[0]);
        Path data = Files.createDirectories(folder.resolve("data"));
        Path extensions = Files.createDirectories(folder.resolve("extensions"));
        EmbeddedHiveMQ broker = EmbeddedHiveMQ.builder()
            .withConfigurationFolder(folder)
            .withDataFolder(data)
            .withExtensionsFolder(extensions)
            .build();
        broker.start().join();
        new CountDownLatch(1).await();
    }
}
