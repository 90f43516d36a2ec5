//! An SMS centre that sends without an end.

use std::io;

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use super::Attack;
use crate::stage::Stage;

/// The bit of an answer in its command.
const RESPONSE: u32 = 0x8000_0000;
const DELIVER_SM: u32 = 5;
/// PDUs that are written at once.
const AT_ONCE: u32 = 200;

/// `deliver_sm` as fast as the program reads, on each of its connections.
pub async fn flood(stage: &Stage) -> Attack {
    let smsc = stage.hostile_smsc();
    Box::pin(async move {
        loop {
            if let Ok((connection, _)) = smsc.accept().await {
                // Its end is as good as its flood.
                tokio::spawn(async move { drop(serve(connection).await) });
            }
        }
    })
}

async fn serve(connection: TcpStream) -> io::Result<()> {
    let (mut from, mut to) = connection.into_split();
    let (length, command, sequence) = (from.read_u32().await?, from.read_u32().await?, {
        from.read_u32().await?;
        from.read_u32().await?
    });
    let mut bind = vec![0; length.saturating_sub(16) as usize];
    from.read_exact(&mut bind).await?;
    to.write_all(&pdu(command | RESPONSE, sequence, b"smsc\0")).await?;
    let reading = async { tokio::io::copy(&mut from, &mut tokio::io::sink()).await.map(drop) };
    let writing = async {
        for begin in (1..u32::MAX - AT_ONCE).step_by(AT_ONCE as usize) {
            let deliveries = (begin..begin + AT_ONCE).map(|sequence| pdu(DELIVER_SM, sequence, &message()));
            to.write_all(&deliveries.collect::<Vec<_>>().concat()).await?;
        }
        Ok(())
    };
    tokio::select! {
        ended = reading => ended,
        ended = writing => ended,
    }
}

fn pdu(command: u32, sequence: u32, body: &[u8]) -> Vec<u8> {
    let length = u32::try_from(16 + body.len()).unwrap();
    [[length, command, 0, sequence].map(u32::to_be_bytes).as_flattened(), body].concat()
}

/// The body of a `deliver_sm` (SMPP 3.4, 4.6.1) with a text from 27820000001.
fn message() -> Vec<u8> {
    let text = b"stop it";
    let fixed = [0, 0, 0, 0, 0, 0, 0, 0, 0, u8::try_from(text.len()).unwrap()];
    [b"\0\x01\x0127820000001\0\x01\x0127110000000\0".as_slice(), &fixed, text].concat()
}
