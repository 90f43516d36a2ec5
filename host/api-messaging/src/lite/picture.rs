use png::{BitDepth, ColorType, Encoder};
use qrcode::{Color, QrCode};

/// Pixels of one module: large enough for a camera that looks at a screen.
const SCALE: usize = 8;
/// White modules around the code, as its standard requires.
const QUIET: usize = 4;
const WHITE: u8 = 0xff;
const BLACK: u8 = 0;

#[derive(Debug, thiserror::Error)]
pub(super) enum NoPicture {
    #[error("the text does not fit into a QR code: {0}")]
    Text(qrcode::types::QrError),
    #[error("the picture could not be written: {0}")]
    Png(#[from] png::EncodingError),
}

pub(super) fn of(text: &str) -> Result<Vec<u8>, NoPicture> {
    let code = QrCode::new(text).map_err(NoPicture::Text)?;
    let (modules, colors) = (code.width(), code.to_colors());
    let side = (modules + 2 * QUIET) * SCALE;
    let mut pixels = Vec::with_capacity(side * side);
    for y in 0..side {
        for x in 0..side {
            pixels.push(pixel(&colors, modules, x / SCALE, y / SCALE));
        }
    }
    let mut picture = Vec::new();
    let side = u32::try_from(side).unwrap_or(u32::MAX);
    let mut encoder = Encoder::new(&mut picture, side, side);
    encoder.set_color(ColorType::Grayscale);
    encoder.set_depth(BitDepth::Eight);
    encoder.write_header()?.write_image_data(&pixels)?;
    Ok(picture)
}

fn pixel(colors: &[Color], modules: usize, x: usize, y: usize) -> u8 {
    let inside = |at: usize| at.checked_sub(QUIET).filter(|at| *at < modules);
    let color = inside(x).zip(inside(y)).and_then(|(x, y)| colors.get(y * modules + x));
    if color == Some(&Color::Dark) { BLACK } else { WHITE }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_shows_the_modules_of_the_code_with_white_around_them() {
        let picture = of("2@secret,27110000000,1").unwrap();
        let mut reader = png::Decoder::new(std::io::Cursor::new(picture)).read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let shown = reader.next_frame(&mut pixels).unwrap();
        let code = QrCode::new("2@secret,27110000000,1").unwrap();
        let side = usize::try_from(shown.width).unwrap();
        assert_eq!(side, (code.width() + 8) * SCALE);
        let module = |x: usize, y: usize| pixels[(y * SCALE) * side + x * SCALE];
        assert_eq!(module(0, 0), WHITE);
        for y in 0..code.width() {
            for x in 0..code.width() {
                let dark = module(x + QUIET, y + QUIET) == BLACK;
                assert_eq!(dark, code[(x, y)] == Color::Dark, "module {x}, {y}");
            }
        }
    }
}
