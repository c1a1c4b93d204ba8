//! What the cable does to frames.
use std::time::Duration;

/// Shares are in percent, each direction for itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    pub(crate) seed: u64,
    pub(crate) loss: f64,
    pub(crate) dup: f64,
    pub(crate) reorder: f64,
    pub(crate) corrupt: f64,
    pub(crate) delay: Duration,
    pub(crate) jitter: Duration,
    /// Bits a second; 0 if frames take no time.
    pub(crate) rate: f64,
    /// Bytes that may wait for a line with a rate.
    pub(crate) queue: usize,
    pub(crate) cut: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            seed: 1,
            loss: 0.0,
            dup: 0.0,
            reorder: 0.0,
            corrupt: 0.0,
            delay: Duration::ZERO,
            jitter: Duration::ZERO,
            rate: 0.0,
            queue: 64 << 20,
            cut: false,
        }
    }
}

impl Settings {
    /// Takes over one word, such as `loss=10` or `cut`.
    pub(crate) fn apply(&mut self, word: &str) -> Result<(), String> {
        let wrong = || format!("{word:?} is neither cut, heal, counts nor setting=number");
        match word {
            "cut" => self.cut = true,
            "heal" => self.cut = false,
            "counts" => {}
            _ => {
                let (name, value) = word.split_once('=').ok_or_else(wrong)?;
                let value: f64 = value.parse().map_err(|_| wrong())?;
                let time = || Duration::try_from_secs_f64(value / 1e3).map_err(|_| wrong());
                match name {
                    "seed" => self.seed = value as u64,
                    "loss" => self.loss = value,
                    "dup" => self.dup = value,
                    "reorder" => self.reorder = value,
                    "corrupt" => self.corrupt = value,
                    "rate" if value >= 0.0 => self.rate = value * 1e6,
                    "queue" => self.queue = (value * 1024.0) as usize,
                    "delay" => self.delay = time()?,
                    "jitter" => self.jitter = time()?,
                    _ => return Err(wrong()),
                }
            }
        }
        Ok(())
    }
}
