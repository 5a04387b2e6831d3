import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A store of columns: pages are unpacked outside of the heap when a query first needs them. */
public class Columns {
    record PageId(String table, int column, int page, long snapshot) {}

    /** A page as it is on the disk: runs of a value and how often it comes. */
    static final class PackedPage {
        final long[] values;
        final int[] counts;

        PackedPage(long seed, int runs) {
            values = new long[runs];
            counts = new int[runs];
            for (int i = 0; i < runs; i++) {
                values[i] = seed * 31 + i * 7L;
                counts[i] = 8;
            }
        }

        int rows() {
            int rows = 0;
            for (int count : counts) {
                rows += count;
            }
            return rows;
        }
    }

    static final class OffHeap {
        private OffHeap() {}

        static ByteBuffer longs(int count) {
            return ByteBuffer.allocateDirect(count * Long.BYTES).order(ByteOrder.nativeOrder());
        }
    }

    static final class PageCache {
        private final Map<PageId, LongBuffer> pages = new HashMap<>();
        private long hits;

        LongBuffer unpacked(PageId id, PackedPage packed) {
            LongBuffer known = pages.get(id);
            if (known != null) {
                hits++;
                return known.duplicate();
            }
            LongBuffer page = OffHeap.longs(packed.rows()).asLongBuffer(); // guilty
            for (int run = 0; run < packed.values.length; run++) {
                for (int i = 0; i < packed.counts[run]; i++) {
                    page.put(packed.values[run]);
                }
            }
            page.flip();
            pages.put(id, page);
            return page.duplicate();
        }
    }

    /** Where rows are collected until a page is full; each column has one for good. */
    static final class Appender {
        private final ByteBuffer buffer = OffHeap.longs(16 * 1024);
        private long written;

        void append(long value) {
            if (!buffer.hasRemaining()) {
                buffer.clear();
            }
            buffer.putLong(value);
            written++;
        }
    }

    static final class Table {
        final String name;
        final List<List<PackedPage>> columns = new ArrayList<>();
        final List<Appender> appenders = new ArrayList<>();
        long snapshot;

        Table(String name, int width, int pages) {
            this.name = name;
            for (int c = 0; c < width; c++) {
                List<PackedPage> column = new ArrayList<>();
                for (int p = 0; p < pages; p++) {
                    column.add(new PackedPage(c * 1000L + p, 128));
                }
                columns.add(column);
                appenders.add(new Appender());
            }
        }

        void insert(long row) {
            for (Appender appender : appenders) {
                appender.append(row);
            }
            snapshot++;
        }
    }

    private final PageCache cache = new PageCache();

    private long sum(Table table, int column) {
        long sum = 0;
        List<PackedPage> pages = table.columns.get(column);
        for (int p = 0; p < pages.size(); p++) {
            LongBuffer page = cache.unpacked(new PageId(table.name, column, p, table.snapshot), pages.get(p));
            while (page.hasRemaining()) {
                sum += page.get();
            }
        }
        return sum;
    }

    public static void main(String[] arguments) {
        Columns store = new Columns();
        Table sales = new Table("sales", 60, 16);
        long total = 0;
        for (int query = 0; query < 450; query++) {
            total += store.sum(sales, query % 7);
            total += store.sum(sales, query % 7);
            sales.insert(query);
        }
        System.out.println(total + " in all, " + store.cache.pages.size() + " pages, " + store.cache.hits + " hits");
    }
}
