// Keeps 50 blocks of 4096 bytes and 3 of 1 MiB, by a chain of inlined and called functions and a
// method, and writes its heap profile as text (heap.txt) and as protobuf (heap.pb.gz).
package main

import (
	"os"
	"runtime"
	"runtime/pprof"
)

var kept [][]byte

type cache struct{ entries [][]byte }

//go:noinline
func (c *cache) add(size int) { c.entries = append(c.entries, make([]byte, size)) }

func inlined(size int) { kept = append(kept, make([]byte, size)) }

//go:noinline
func leak(times int) {
	for i := 0; i < times; i++ {
		inlined(4096)
	}
}

func write(name string, debug int) {
	file, err := os.Create(name)
	if err != nil {
		panic(err)
	}
	defer file.Close()
	if err := pprof.Lookup("heap").WriteTo(file, debug); err != nil {
		panic(err)
	}
}

var all cache

func init() { runtime.MemProfileRate = 1 } // every block

func main() {
	kept = make([][]byte, 0, 100)
	all.entries = make([][]byte, 0, 10)
	leak(50)
	for i := 0; i < 3; i++ {
		all.add(1 << 20)
	}
	runtime.GC()
	write("heap.txt", 1)
	write("heap.pb.gz", 0)
}
