//! Small components that are expensive to compile (RECIPES 6), written byte by byte.

/// A component with a module of `number` functions, each a few bytes long.
pub fn many_functions(number: u32) -> Vec<u8> {
    let body = [6, 0, 0x41, 1, 0x1a, 0x01, 0x0b];
    let mut code = leb(number);
    for _ in 0..number {
        code.extend(body);
    }
    let mut functions = leb(number);
    functions.extend(std::iter::repeat_n(0, number as usize));
    let module =
        [b"\0asm\x01\0\0\0".to_vec(), section(1, &[1, 0x60, 0, 0]), section(3, &functions), section(10, &code)];
    component(&module.concat())
}

/// A component with a module whose one function keeps `number` values at once: it loads all of them before it adds any.
pub fn many_locals(number: u32) -> Vec<u8> {
    const I32: u8 = 0x7f;
    let mut body = vec![1];
    body.extend(leb(number));
    body.push(I32);
    for local in 1..=number {
        // local.get 0, i32.load, local.set
        body.extend([0x20, 0, 0x28, 2]);
        body.extend(leb(local * 4));
        body.push(0x21);
        body.extend(leb(local));
    }
    body.extend([0x41, 0]);
    for local in 1..=number {
        // local.get, i32.add
        body.push(0x20);
        body.extend(leb(local));
        body.push(0x6a);
    }
    body.push(0x0b);
    let mut code = leb(1);
    code.extend(leb(u32::try_from(body.len()).unwrap_or(u32::MAX)));
    code.extend(body);
    let module = [
        b"\0asm\x01\0\0\0".to_vec(),
        section(1, &[1, 0x60, 1, I32, 1, I32]),
        section(3, &[1, 0]),
        section(5, &[1, 0, 4]),
        section(10, &code),
    ];
    component(&module.concat())
}

fn component(module: &[u8]) -> Vec<u8> {
    [b"\0asm\x0d\0\x01\0".to_vec(), section(1, module)].concat()
}

fn section(id: u8, contents: &[u8]) -> Vec<u8> {
    let mut section = vec![id];
    section.extend(leb(u32::try_from(contents.len()).unwrap_or(u32::MAX)));
    section.extend(contents);
    section
}

/// A number in LEB128: seven bits per byte.
fn leb(mut number: u32) -> Vec<u8> {
    let mut bytes = vec![];
    loop {
        let low = u8::try_from(number & 0x7f).unwrap_or(0);
        number >>= 7;
        if number == 0 {
            bytes.push(low);
            return bytes;
        }
        bytes.push(low | 0x80);
    }
}
