// Buffers outside the heap of Java, which the virtual machine allocates with malloc.
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

public class Direct {
    static final List<ByteBuffer> kept = new ArrayList<>();

    static int[] settings() {
        return new int[1000];
    }

    static void receive() {
        kept.add(ByteBuffer.allocateDirect(64 * 1024)); // guilty
    }

    public static void main(String[] arguments) {
        settings();
        for (int number = 0; number < 1000; number++)
            receive();
        Runtime.getRuntime().halt(0);
    }
}
