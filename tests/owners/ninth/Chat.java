import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

/** A chat over web sockets whose messages are compressed, by a stream of each connection. */
public class Chat {
    /** Compresses the messages of one connection; what was said before helps with what is said next. */
    static final class Compression {
        private final Deflater deflater;
        private final byte[] buffer = new byte[1024];

        Compression(Deflater deflater) {
            this.deflater = deflater;
        }

        byte[] compress(byte[] message) {
            deflater.setInput(message);
            int length = deflater.deflate(buffer, 0, buffer.length, Deflater.SYNC_FLUSH);
            return java.util.Arrays.copyOf(buffer, length);
        }
    }

    static final class Connection {
        private final String user;
        private Compression compression;
        private long sent;
        private boolean open = true;

        Connection(String user) {
            this.user = user;
        }

        /** What the handshake has agreed on. */
        void upgrade(boolean compressed) {
            if (compressed) {
                compression = new Compression(new Deflater(Deflater.BEST_SPEED, true)); // guilty
            }
        }

        void send(byte[] message) {
            sent += (compression == null ? message : compression.compress(message)).length;
        }

        void close() {
            open = false;
        }
    }

    /** Connections by user, also those that are closed: a user who comes back sees when he was here last. */
    static final class Directory {
        private final Map<String, List<Connection>> connections = new HashMap<>();

        void add(Connection connection) {
            connections.computeIfAbsent(connection.user, user -> new ArrayList<>()).add(connection);
        }

        long sent() {
            return connections.values().stream().flatMap(List::stream).mapToLong(connection -> connection.sent).sum();
        }

        int size() {
            return connections.size();
        }
    }

    static final class Room {
        private final List<Connection> members = new ArrayList<>();
        private final List<String> lastLines = new ArrayList<>();

        void join(Connection connection) {
            members.add(connection);
            lastLines.forEach(line -> connection.send(line.getBytes(StandardCharsets.UTF_8)));
        }

        void say(Connection from, String text) {
            String line = from.user + ": " + text;
            lastLines.add(line);
            if (lastLines.size() > 5) {
                lastLines.remove(0);
            }
            byte[] bytes = line.getBytes(StandardCharsets.UTF_8);
            members.removeIf(member -> !member.open);
            members.forEach(member -> member.send(bytes));
        }
    }

    /** The archive reads old days back, which are packed. */
    static final class Archive {
        private final List<Inflater> readers = new ArrayList<>();
        private final byte[] packed;

        Archive(int days) {
            Deflater deflater = new Deflater();
            deflater.setInput("it was a quiet day\n".repeat(400).getBytes(StandardCharsets.UTF_8));
            deflater.finish();
            byte[] buffer = new byte[4096];
            packed = java.util.Arrays.copyOf(buffer, deflater.deflate(buffer));
            deflater.end();
            for (int day = 0; day < days; day++) {
                readers.add(new Inflater());
            }
        }

        int read() throws DataFormatException {
            int total = 0;
            byte[] text = new byte[512];
            for (Inflater reader : readers) {
                reader.setInput(packed);
                total += reader.inflate(text);
            }
            return total;
        }
    }

    public static void main(String[] arguments) throws DataFormatException {
        Archive archive = new Archive(120);
        Directory directory = new Directory();
        Room[] rooms = new Room[12];
        for (int number = 0; number < rooms.length; number++) {
            rooms[number] = new Room();
        }
        for (int visit = 0; visit < 280; visit++) {
            Connection connection = new Connection("user" + visit % 150);
            connection.upgrade(visit % 8 != 7);
            directory.add(connection);
            Room room = rooms[visit % rooms.length];
            room.join(connection);
            for (int line = 0; line < 3; line++) {
                room.say(connection, "hello, this is line " + line + " of my visit number " + visit);
            }
            if (visit % 10 != 0) {
                connection.close();
            }
        }
        System.out.println(directory.size() + " users, " + directory.sent() + " bytes sent, " + archive.read() + " read");
    }
}
