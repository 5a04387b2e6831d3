import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A server of scanned maps: cuts sheets into tiles, decodes those that are asked for, and sends what is seen on a screen. */
public class Tiles {
    record Key(int sheet, int zoom, int x, int y) {
    }

    /** The scans, as they come from the disk: run lengths. */
    static class Archive {
        private final Map<Integer, byte[]> sheets = new HashMap<>();

        byte[] sheet(int number) {
            return sheets.computeIfAbsent(number, Archive::scan);
        }

        private static byte[] scan(int number) {
            byte[] runs = new byte[8192];
            for (int i = 0; i < runs.length; i++) {
                runs[i] = (byte) (i * 31 + number * 17);
            }
            return runs;
        }
    }

    static class Decoder {
        static final int SIZE = 128;
        private final byte[] line = new byte[SIZE];

        /** Pixels go to the network from native memory. */
        void decode(byte[] runs, Key key, ByteBuffer into) {
            int at = Math.floorMod(key.hashCode(), runs.length);
            while (into.hasRemaining()) {
                for (int i = 0; i < SIZE; i++) {
                    line[i] = runs[(at + i / 4) % runs.length];
                }
                into.put(line, 0, Math.min(SIZE, into.remaining()));
                at += 32;
            }
            into.flip();
        }
    }

    static class TileCache {
        private final Map<Key, ByteBuffer> tiles = new HashMap<>();
        private final Archive archive;
        private final Decoder decoder = new Decoder();
        private int hits;

        TileCache(Archive archive) {
            this.archive = archive;
        }

        ByteBuffer tile(Key key) {
            ByteBuffer known = tiles.get(key);
            if (known != null) {
                hits++;
                return known.duplicate();
            }
            ByteBuffer pixels = ByteBuffer.allocateDirect(Decoder.SIZE * Decoder.SIZE * 4); // guilty
            decoder.decode(archive.sheet(key.sheet()), key, pixels);
            tiles.put(key, pixels);
            return pixels.duplicate();
        }

        int size() {
            return tiles.size();
        }
    }

    /** The last things that were asked, for the log. */
    static class AccessLog {
        private final Deque<String> lines = new ArrayDeque<>();

        void add(String user, Key key, int bytes) {
            if (lines.size() == 200) {
                lines.removeFirst();
            }
            lines.addLast(user + " " + key + " " + bytes);
        }

        String last() {
            return lines.getLast();
        }
    }

    static class Viewer {
        private final String name;
        private int x;
        private int y;
        private int zoom = 3;

        Viewer(int number) {
            name = "viewer-" + number;
            x = number * 5;
            y = number * 3;
        }

        List<Key> pan(int step) {
            x += step % 3;
            y += step % 2;
            zoom = 3 + step / 12 % 3;
            List<Key> seen = new ArrayList<>();
            for (int dx = 0; dx < 2; dx++) {
                for (int dy = 0; dy < 2; dy++) {
                    seen.add(new Key(x / 40, zoom, x + dx, y + dy));
                }
            }
            return seen;
        }
    }

    public static void main(String[] args) {
        TileCache cache = new TileCache(new Archive());
        AccessLog log = new AccessLog();
        List<Viewer> viewers = new ArrayList<>();
        for (int number = 0; number < 10; number++) {
            viewers.add(new Viewer(number));
        }
        long sent = 0;
        for (int step = 0; step < 40; step++) {
            for (Viewer viewer : viewers) {
                for (Key key : viewer.pan(step)) {
                    ByteBuffer pixels = cache.tile(key);
                    sent += pixels.remaining();
                    log.add(viewer.name, key, pixels.remaining());
                }
            }
        }
        System.out.println(sent + " bytes sent, " + cache.size() + " tiles, " + cache.hits + " hits, last " + log.last());
    }
}
