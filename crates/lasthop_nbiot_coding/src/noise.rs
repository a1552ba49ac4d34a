use lasthop_contract::RandomStream;

/// A generator of normally distributed numbers with mean 0 and standard deviation 1, from a random stream.
///
/// The ziggurat of 256 layers (Marsaglia and Tsang 2000) with separate bits for layer and place (Doornik 2005).
#[derive(Clone, Debug)]
pub struct Noise {
    stream: RandomStream,
    /// The right edges of the layers, from the widest up.
    edges: Box<[f32; LAYERS + 1]>,
    /// The density at them.
    heights: Box<[f64; LAYERS + 1]>,
}

const LAYERS: usize = 256;
/// Where the tail begins.
const TAIL: f64 = 3.654_152_885_361_009;
/// The area of each layer.
const AREA: f64 = 0.004_928_673_233_99;

impl Noise {
    /// Creates a generator that draws from this stream.
    #[must_use]
    pub fn from_stream(stream: RandomStream) -> Self {
        let mut edges = [0.0; LAYERS + 1];
        edges[0] = AREA / density(TAIL);
        edges[1] = TAIL;
        for layer in 2..LAYERS {
            let below: f64 = edges[layer - 1];
            edges[layer] = (-2.0 * libm::log(AREA / below + density(below))).sqrt();
        }
        Self {
            stream,
            edges: Box::new(edges.map(|edge| edge as f32)),
            heights: Box::new(edges.map(density)),
        }
    }

    /// Fills the slice with normally distributed numbers.
    pub fn fill(&mut self, numbers: &mut [f32]) {
        for pair in numbers.chunks_mut(2) {
            let bits = self.stream.next_u64();
            pair[0] = self.normal(bits as u32);
            if let Some(second) = pair.get_mut(1) {
                *second = self.normal((bits >> 32) as u32);
            }
        }
    }

    /// A number from these bits, and from fresh ones in one case of a hundred.
    #[inline]
    fn normal(&mut self, bits: u32) -> f32 {
        let layer = (bits & 0xff) as usize;
        let place = (bits as i32 >> 8) as f32 * (1.0 / (1_u32 << 23) as f32);
        let x = place * self.edges[layer];
        if x.abs() < self.edges[layer + 1] {
            return x;
        }
        self.at_the_edge(layer, x)
    }

    /// Appends `count` random bits.
    pub fn bits(&mut self, count: usize, bits: &mut Vec<u8>) {
        let mut word = 0;
        for index in 0..count {
            if index % 64 == 0 {
                word = self.stream.next_u64();
            }
            bits.push((word & 1) as u8);
            word >>= 1;
        }
    }

    #[cold]
    fn at_the_edge(&mut self, layer: usize, x: f32) -> f32 {
        if layer == 0 {
            return (self.tail() as f32).copysign(x);
        }
        let (low, high) = (self.heights[layer], self.heights[layer + 1]);
        if low + self.stream.unit() * (high - low) < density(f64::from(x)) {
            return x;
        }
        let bits = self.stream.next_u64();
        self.normal(bits as u32)
    }

    /// A number beyond [`TAIL`] (Marsaglia 1964).
    fn tail(&mut self) -> f64 {
        loop {
            let beyond = -libm::log(1.0 - self.stream.unit()) / TAIL;
            let height = -libm::log(1.0 - self.stream.unit());
            if 2.0 * height > beyond * beyond {
                return TAIL + beyond;
            }
        }
    }
}

fn density(x: f64) -> f64 {
    libm::exp(-0.5 * x * x)
}
