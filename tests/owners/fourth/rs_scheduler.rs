// A scheduler of futures, as small as one can be, and a service on it that downloads.
use std::cell::RefCell;
use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, RawWaker, RawWakerVTable, Waker};

type Task = Pin<Box<dyn Future<Output = ()>>>;

#[derive(Clone, Default)]
struct Executor {
    ready: Rc<RefCell<VecDeque<Task>>>,
}

fn waker() -> Waker {
    fn clone(_: *const ()) -> RawWaker {
        RawWaker::new(std::ptr::null(), &TABLE)
    }
    fn nothing(_: *const ()) {}
    static TABLE: RawWakerVTable = RawWakerVTable::new(clone, nothing, nothing, nothing);
    unsafe { Waker::from_raw(clone(std::ptr::null())) }
}

impl Executor {
    fn spawn(&self, task: impl Future<Output = ()> + 'static) {
        self.ready.borrow_mut().push_back(Box::pin(task));
    }

    fn run(&self, rounds: usize) {
        let waker = waker();
        let mut context = Context::from_waker(&waker);
        for _ in 0..rounds {
            let Some(mut task) = self.ready.borrow_mut().pop_front() else { return };
            if task.as_mut().poll(&mut context).is_pending() {
                self.ready.borrow_mut().push_back(task);
            }
        }
    }
}

struct Later(u32);

impl Future for Later {
    type Output = ();
    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        self.0 -= 1;
        if self.0 == 0 { Poll::Ready(()) } else { Poll::Pending }
    }
}

struct Channel<T> {
    queue: Rc<RefCell<VecDeque<T>>>,
}

impl<T> Clone for Channel<T> {
    fn clone(&self) -> Self {
        Channel { queue: self.queue.clone() }
    }
}

impl<T> Channel<T> {
    fn new() -> Self {
        Channel { queue: Rc::default() }
    }
    fn send(&self, item: T) {
        self.queue.borrow_mut().push_back(item);
    }
    fn receive(&self) -> Option<T> {
        self.queue.borrow_mut().pop_front()
    }
    fn len(&self) -> usize {
        self.queue.borrow().len()
    }
}

struct Chunk {
    url: Rc<str>,
    offset: usize,
    bytes: Vec<u8>,
}

fn read_socket(n: usize, buffer: &mut Vec<u8>) {
    buffer.clear();
    buffer.extend((0..1400).map(|i| ((i * n) % 251) as u8));
}

/// Does not wait while the disk is behind: the channel has no end.
async fn download(url: Rc<str>, to: Channel<Chunk>) {
    let mut buffer = Vec::with_capacity(64 << 10);
    for n in 0..1200 {
        Later(2).await;
        read_socket(n, &mut buffer);
        let bytes = buffer.to_vec(); // guilty
        to.send(Chunk { url: url.clone(), offset: n * 1400, bytes });
    }
}

async fn write_disk(from: Channel<Chunk>, written: Rc<RefCell<Vec<(Rc<str>, usize)>>>) {
    loop {
        if let Some(chunk) = from.receive() {
            let sum: usize = chunk.bytes.iter().map(|b| usize::from(*b)).sum();
            written.borrow_mut().push((chunk.url, chunk.offset + sum % 2));
        }
        Later(3).await;
    }
}

fn main() {
    let executor = Executor::default();
    let channel = Channel::new();
    let written = Rc::new(RefCell::new(Vec::new()));
    for i in 0..32 {
        executor.spawn(download(format!("https://mirror.example/{i}.iso").into(), channel.clone()));
    }
    executor.spawn(write_disk(channel.clone(), written.clone()));
    executor.run(70_000);
    println!("{} chunks wait, {} written", channel.len(), written.borrow().len());
}
