import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Relays the packets of video calls, and sends those again that a receiver reports as lost. */
public class Relay {
    /** Buffers for what sockets read, outside of the heap; they go round. */
    static final class Pool {
        private final ArrayDeque<ByteBuffer> free = new ArrayDeque<>();

        Pool(int count, int size) {
            for (int i = 0; i < count; i++) {
                free.add(ByteBuffer.allocateDirect(size));
            }
        }

        ByteBuffer take() {
            ByteBuffer buffer = free.poll();
            if (buffer == null) {
                throw new IllegalStateException("no buffer left");
            }
            buffer.clear();
            return buffer;
        }

        void giveBack(ByteBuffer buffer) {
            free.add(buffer);
        }
    }

    /** What was sent on a stream, by sequence number, until the receiver has it. */
    static final class ResendBuffer {
        private final Map<Integer, ByteBuffer> sent = new HashMap<>();
        private int highest = -1;

        void keepSent(int sequence, ByteBuffer packet) {
            ByteBuffer copy = ByteBuffer.allocateDirect(packet.remaining()); // guilty
            copy.put(packet.duplicate());
            copy.flip();
            sent.put(sequence, copy);
            highest = Math.max(highest, sequence);
        }

        ByteBuffer lost(int sequence) {
            return sent.get(sequence);
        }

        /** Receivers acknowledge on their own once in a while; few do. */
        void acknowledged(int sequence) {
            sent.keySet().removeIf(known -> known <= sequence);
        }
    }

    static final class Call {
        final int number;
        final ResendBuffer resend = new ResendBuffer();
        int sequence;

        Call(int number) {
            this.number = number;
        }
    }

    private final Pool pool = new Pool(160, 65536);
    private final List<Call> calls = new ArrayList<>();
    private final Random random = new Random(4);
    private long relayed;
    private long resent;

    private ByteBuffer receive(Call call) {
        ByteBuffer packet = pool.take();
        int size = 700 + random.nextInt(500);
        packet.putInt(call.number).putInt(call.sequence);
        while (packet.position() < size) {
            packet.put((byte) packet.position());
        }
        packet.flip();
        return packet;
    }

    private void relay(Call call) {
        ByteBuffer packet = receive(call);
        call.resend.keepSent(call.sequence++, packet);
        relayed += packet.remaining();
        pool.giveBack(packet);
    }

    private void reports(Call call) {
        ByteBuffer again = call.resend.lost(call.sequence - 1 - random.nextInt(10));
        if (again != null) {
            resent += again.remaining();
        }
        if (call.number % 16 == 0) {
            call.resend.acknowledged(call.sequence - 20);
        }
    }

    private void run(int seconds) {
        for (int i = 0; i < 100; i++) {
            calls.add(new Call(i));
        }
        for (int second = 0; second < seconds; second++) {
            for (Call call : calls) {
                for (int i = 0; i < 12; i++) {
                    relay(call);
                }
                reports(call);
            }
        }
    }

    public static void main(String[] arguments) {
        Relay relay = new Relay();
        relay.run(50);
        System.out.println(relay.relayed + " bytes relayed, " + relay.resent + " sent again");
    }
}
