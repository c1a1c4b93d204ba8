//! The server: one thread, bounded connections, bounded time.
use super::answer::{Access, Answer, Asked, answer, refusal};
use super::changes::Known;
use super::{Administered, Bounds};
use bytes::Bytes;
use http_body_util::{BodyExt, Either, Full, Limited, StreamBody};
use hyper::body::{Body, Frame, Incoming};
use hyper::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use std::convert::Infallible;
use std::fmt;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::thread::{Builder, JoinHandle};
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::sync::{Semaphore, mpsc, watch};

/// Nothing but the page itself is loaded or run.
const POLICY: &str = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; \
                      connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/// After a failure to accept, such as for lack of descriptors.
const PAUSE: Duration = Duration::from_millis(100);
/// Events that wait for one who reads slowly; then it is cut off.
const EVENTS: usize = 64;

/// How a service is shown.
#[derive(Clone, Debug)]
pub struct HttpOptions {
    /// Where; port 0 for any that is free.
    pub address: SocketAddr,
    /// What requests must show that change something, and all requests if `address` can be reached
    /// from other hosts.
    pub token: Option<String>,
    /// Limits.
    pub bounds: Bounds,
}

/// A server that shows a service. It ends when it is dropped.
pub struct Http {
    address: SocketAddr,
    stop: watch::Sender<bool>,
    thread: Option<JoinHandle<()>>,
}

/// Why there is no server.
#[derive(Debug)]
#[non_exhaustive]
pub enum HttpError {
    /// The address can be reached from other hosts, and no token was given.
    TokenNeeded(SocketAddr),
    /// The system refuses.
    System(SocketAddr, io::Error),
}

impl fmt::Display for HttpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TokenNeeded(address) => write!(
                f,
                "HTTP at {address} can be reached from other hosts: give --http-token-file, or an \
                 address of this host such as 127.0.0.1:8085"
            ),
            Self::System(address, error) => write!(f, "HTTP at {address}: {error}"),
        }
    }
}

impl std::error::Error for HttpError {}

struct Shown {
    service: Arc<dyn Administered>,
    access: Access,
    bounds: Bounds,
    stop: watch::Receiver<bool>,
}

impl Http {
    /// Begins to answer.
    ///
    /// # Errors
    /// See [`HttpError`].
    pub fn start(service: Arc<dyn Administered>, options: HttpOptions) -> Result<Self, HttpError> {
        let loopback = options.address.ip().is_loopback();
        if !loopback && options.token.is_none() {
            return Err(HttpError::TokenNeeded(options.address));
        }
        let system = |error| HttpError::System(options.address, error);
        let listener = TcpListener::bind(options.address).map_err(system)?;
        listener.set_nonblocking(true).map_err(system)?;
        let address = listener.local_addr().map_err(system)?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(system)?;
        let (stop, stopped) = watch::channel(false);
        let shown = Arc::new(Shown {
            service,
            access: Access {
                token: options.token.clone(),
                loopback,
            },
            bounds: options.bounds,
            stop: stopped,
        });
        let thread = Builder::new()
            .name("dunlin-http".into())
            .spawn(move || runtime.block_on(accept(listener, shown)))
            .map_err(system)?;
        Ok(Self {
            address,
            stop,
            thread: Some(thread),
        })
    }

    /// Where it answers.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Http {
    fn drop(&mut self) {
        let _ = self.stop.send(true);
        if let Some(thread) = self.thread.take() {
            // A panic of that thread was told when it happened.
            let _ = thread.join();
        }
    }
}

impl fmt::Debug for Http {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Http")
            .field("address", &self.address)
            .finish_non_exhaustive()
    }
}

/// Accepts until the server ends; connections end with it.
async fn accept(listener: TcpListener, shown: Arc<Shown>) {
    let Ok(listener) = tokio::net::TcpListener::from_std(listener) else {
        return;
    };
    let places = Arc::new(Semaphore::new(shown.bounds.connections));
    let mut stop = shown.stop.clone();
    loop {
        let Ok(place) = Arc::clone(&places).acquire_owned().await else {
            return;
        };
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = stop.wait_for(|stops| *stops) => return,
        };
        let Ok((stream, _)) = accepted else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        let shown = Arc::clone(&shown);
        tokio::spawn(async move {
            serve(stream, shown).await;
            drop(place);
        });
    }
}

async fn serve(stream: TcpStream, shown: Arc<Shown>) {
    let time = shown.bounds.time;
    let answering = service_fn(move |request| respond(request, Arc::clone(&shown)));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(time)
        .serve_connection(TokioIo::new(stream), answering);
    // What goes wrong here is the other side's matter.
    let _ = connection.await;
}

async fn respond(
    request: Request<Incoming>,
    shown: Arc<Shown>,
) -> Result<
    Response<impl Body<Data = Bytes, Error = Box<dyn std::error::Error + Send + Sync>>>,
    Infallible,
> {
    let (head, body) = request.into_parts();
    let bounds = &shown.bounds;
    let body = Limited::new(body, bounds.body).collect();
    let answer = match tokio::time::timeout(bounds.time, body).await {
        Ok(Ok(body)) => {
            let asked = Asked {
                method: &head.method,
                path: head.uri.path(),
                query: head.uri.query(),
                headers: &head.headers,
            };
            let (service, access) = (&*shown.service, &shown.access);
            answer(&asked, &body.to_bytes(), service, access, bounds)
        }
        Ok(Err(_)) => {
            let why = format!(
                "the body is longer than {} bytes, or ends early",
                bounds.body
            );
            refusal(StatusCode::PAYLOAD_TOO_LARGE, &why)
        }
        Err(_) => refusal(StatusCode::REQUEST_TIMEOUT, "the body did not come in time"),
    };
    let (status, kind, body) = match answer {
        Answer::Whole { status, kind, body } => (status, kind, Either::Left(Full::from(body))),
        Answer::Events => {
            let events = events(Arc::clone(&shown));
            (
                StatusCode::OK,
                "text/event-stream",
                Either::Right(StreamBody::new(events)),
            )
        }
    };
    let mut response = Response::new(body);
    *response.status_mut() = status;
    for (name, value) in [
        (CONTENT_TYPE, kind),
        (CONTENT_SECURITY_POLICY, POLICY),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (CACHE_CONTROL, "no-store"),
    ] {
        response
            .headers_mut()
            .insert(name, hyper::header::HeaderValue::from_static(value));
    }
    Ok(response)
}

/// Changes of state, until the other side or the server ends. One who does not read is cut off.
fn events(shown: Arc<Shown>) -> Received {
    let (to, from) = mpsc::channel(EVENTS);
    let mut stop = shown.stop.clone();
    tokio::spawn(async move {
        let mut known = Known::default();
        let mut pace = tokio::time::interval(shown.bounds.look);
        loop {
            let changes = known.changes(&shown.service.state());
            // A line without meaning each time, so that an end is noticed.
            let mut text = String::from(": \n\n");
            for change in changes {
                text.push_str(&format!("event: change\ndata: {change}\n\n"));
            }
            let sent = to.try_send(Ok(Frame::data(Bytes::from(text))));
            if sent.is_err() {
                return;
            }
            tokio::select! {
                _ = pace.tick() => {}
                _ = stop.wait_for(|stops| *stops) => return,
            }
        }
    });
    Received(from)
}

/// What comes out of a channel, as a stream.
struct Received(mpsc::Receiver<Result<Frame<Bytes>, Infallible>>);

impl futures_core::Stream for Received {
    type Item = Result<Frame<Bytes>, Infallible>;

    fn poll_next(
        mut self: std::pin::Pin<&mut Self>,
        context: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Self::Item>> {
        self.0.poll_recv(context)
    }
}
