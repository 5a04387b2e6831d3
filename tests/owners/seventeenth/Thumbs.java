import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Serves thumbnails of a picture archive in a few sizes. */
public class Thumbs {

    static final class Request {
        final int picture;
        final int width;

        Request(int picture, int width) {
            this.picture = picture;
            this.width = width;
        }
    }

    static class Archive {
        byte[] load(int picture) {
            byte[] px = new byte[96 * 96];
            for (int i = 0; i < px.length; i++) {
                px[i] = (byte) (picture * 31 + i * 7);
            }
            return px;
        }
    }

    static class Scaler {
        byte[] scale(byte[] px, int width) {
            byte[] out = new byte[width * width];
            for (int y = 0; y < width; y++) {
                for (int x = 0; x < width; x++) {
                    out[y * width + x] = px[(y * 96 / width) * 96 + x * 96 / width];
                }
            }
            return out;
        }
    }

    static class Server {
        private final Map<Request, byte[]> cache = new HashMap<>();
        private final Deque<Integer> recent = new ArrayDeque<>();
        private final Archive archive = new Archive();
        private final Scaler scaler = new Scaler();
        private int made;

        byte[] thumbnail(Request rq) {
            byte[] t = cache.get(rq);
            if (t == null) {
                t = scaler.scale(archive.load(rq.picture), rq.width);
                cache.put(rq, t); // guilty
                made++;
            }
            return t;
        }

        void visit(Random rnd) {
            int picture = rnd.nextInt(200);
            recent.addLast(picture);
            if (recent.size() > 50) {
                recent.removeFirst();
            }
            thumbnail(new Request(picture, 48 + 16 * rnd.nextInt(3)));
        }
    }

    static List<String> report(Server s) {
        List<String> lines = new ArrayList<>();
        lines.add("made " + s.made);
        lines.add("recent " + s.recent.size());
        return lines;
    }

    public static void main(String[] args) throws InterruptedException {
        Server server = new Server();
        Random rnd = new Random(14);
        for (int i = 1; i <= 13000; i++) {
            server.visit(rnd);
            if (i % 65 == 0) {
                Thread.sleep(9);
            }
        }
        System.out.println(String.join(", ", report(server)));
        Thread.sleep(200);
    }
}
