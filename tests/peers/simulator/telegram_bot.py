"""Is a bot on the simulated Bot API with python-telegram-bot, and prints one line of JSON for each action.

PYTHONPATH=DIR/python python3 telegram_bot.py --base http://HOST:PORT/telegram --token TOKEN --user ID
"""

import argparse
import asyncio
import json
import sys

from telegram import Bot, InlineKeyboardButton, InlineKeyboardMarkup, ReplyParameters, Update
from telegram.error import TelegramError

arguments = argparse.ArgumentParser()
for name in ("base", "token", "user"):
    arguments.add_argument(f"--{name}", required=True)
given = arguments.parse_args()
user = int(given.user)
PNG = b"\x89PNG of another client"


def tell(**line):
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


def bot_with(token):
    return Bot(token, base_url=f"{given.base}/bot", base_file_url=f"{given.base}/file/bot")


async def refusal(step, call):
    try:
        tell(step=step, answer=repr(await call))
    except TelegramError as error:
        after = getattr(error, "_retry_after", None)
        tell(step=step, error=type(error).__name__, said=error.message, after=after and after.total_seconds())


async def sends(bot):
    me = await bot.get_me()
    tell(step="me", id=me.id, username=me.username, bot=me.is_bot)
    keyboard = InlineKeyboardMarkup([[InlineKeyboardButton("Yes", callback_data="YES")]])
    sent = await bot.send_message(user, "Hello from another client", reply_markup=keyboard)
    tell(step="text", id=sent.message_id, chat=sent.chat.id, type=sent.chat.type, text=sent.text)
    quoting = await bot.send_message(user, "quoting", reply_parameters=ReplyParameters(sent.message_id))
    tell(step="quote", quoted=quoting.reply_to_message.message_id)
    photo = await bot.send_photo(user, PNG, caption="A picture")
    tell(step="photo", sizes=len(photo.photo), caption=photo.caption)
    file = await (await bot.get_file(photo.photo[-1].file_id)).download_as_bytearray()
    tell(step="download", same=bytes(file) == PNG)
    for kind in ("document", "voice", "audio", "video", "sticker"):
        message = await getattr(bot, f"send_{kind}")(user, PNG)
        tell(step=kind, file=getattr(message, kind).file_id is not None)
    place = await bot.send_location(user, -33.9, 18.4)
    tell(step="location", at=[place.location.latitude, place.location.longitude])
    venue = await bot.send_venue(user, -33.9, 18.4, "Shop", "1 Long Street")
    tell(step="venue", title=venue.venue.title)
    tell(step="typing", answer=await bot.send_chat_action(user, "typing"))


async def is_refused(bot):
    await refusal("long", bot.send_message(user, "x" * 4097))
    await refusal("unknown", bot.send_message(404, "x"))
    data = InlineKeyboardMarkup([[InlineKeyboardButton("Yes", callback_data="x" * 65)]])
    await refusal("button", bot.send_message(user, "x", reply_markup=data))
    other = bot_with(given.token.split(":")[0] + ":another_secret_0123456789abcdef")
    await refusal("token", other.get_me())
    tell(step="webhook", answer=await bot.set_webhook("https://example.org/hook", secret_token="s"))
    info = await bot.get_webhook_info()
    tell(step="info", url=info.url, waiting=info.pending_update_count)
    await refusal("conflict", bot.get_updates())
    tell(step="no webhook", answer=await bot.delete_webhook())


async def receives(bot):
    tell(step="listening")
    offset = 0
    while True:
        for update in await bot.get_updates(offset=offset, timeout=20, allowed_updates=Update.ALL_TYPES):
            offset = update.update_id + 1
            message, tap, reaction = update.effective_message, update.callback_query, update.message_reaction
            if tap:
                answered = await tap.answer()
                tell(kind="tap", data=tap.data, person=tap.from_user.id, of=tap.message.message_id, answered=answered)
            elif reaction:
                tell(kind="reaction", emoji=[one.emoji for one in reaction.new_reaction], of=reaction.message_id)
            elif update.edited_message:
                tell(kind="edit", text=message.text, id=message.message_id)
            else:
                attached = message.effective_attachment
                quoted = message.reply_to_message and message.reply_to_message.message_id
                tell(kind="message", id=message.message_id, text=message.text, caption=message.caption, quoted=quoted,
                     name=message.from_user.full_name, chat=message.chat.type, attached=type(attached).__name__)
            if message and message.text == "end":
                await bot.get_updates(offset=offset, timeout=0)
                return


async def main():
    async with bot_with(given.token) as bot:
        await sends(bot)
        await is_refused(bot)
        await receives(bot)


asyncio.run(main())
