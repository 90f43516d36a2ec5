"""Sends customers with the tag `vip` to the team VIP, and all others to the default bot."""

from patchbay.router import default_bot, router, team


@router
def route(inbound):
    if "vip" in inbound.tags:
        return team("VIP", "the contact has the tag vip")
    return default_bot("nothing special")
