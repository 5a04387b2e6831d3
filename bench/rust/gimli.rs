//! gimli's addr2line as a tool: `gimli-addr2line BINARY < ADDRESSES` answers as `addr2line -afi -e BINARY` does, with
//! the names as they are in the debug information. Input is read whole, and output written at once.

use object::{Object, ObjectSection};
use std::io::{Read, Write};

fn main() {
    let path = std::env::args().nth(1).expect("usage: gimli-addr2line BINARY < ADDRESSES");
    let file = std::fs::File::open(path).expect("a file");
    let map = unsafe { memmap2::Mmap::map(&file) }.expect("a mapping");
    let binary = object::File::parse(&*map).expect("an ELF file");
    let section = |id: gimli::SectionId| -> Result<_, gimli::Error> {
        let bytes = binary.section_by_name(id.name()).and_then(|section| section.data().ok());
        Ok(gimli::EndianSlice::new(bytes.unwrap_or(&[]), gimli::LittleEndian))
    };
    let dwarf = gimli::Dwarf::load(section).expect("debug information");
    let context = addr2line::Context::from_dwarf(dwarf).expect("units");

    let mut input = String::new();
    std::io::stdin().read_to_string(&mut input).expect("addresses");
    let mut out = Vec::new();
    for line in input.lines() {
        let address = u64::from_str_radix(line.trim_start_matches("0x"), 16).expect("an address");
        writeln!(out, "0x{:016x}", address).unwrap();
        let mut is_empty = true;
        let mut frames = context.find_frames(address).expect("frames");
        while let Some(frame) = frames.next().expect("a frame") {
            is_empty = false;
            match &frame.function {
                Some(function) => out.extend_from_slice(function.name.slice()),
                None => out.extend_from_slice(b"??"),
            }
            let location = frame.location;
            let file = location.as_ref().and_then(|location| location.file).unwrap_or("??");
            let line = location.as_ref().and_then(|location| location.line).unwrap_or(0);
            write!(out, "\n{}:{}\n", file, line).unwrap();
        }
        if is_empty {
            out.extend_from_slice(b"??\n??:0\n");
        }
    }
    std::io::stdout().write_all(&out).expect("output");
}
