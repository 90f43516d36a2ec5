"""The functions that the host calls."""

import json

from patchbay import failure, shaper


class Shaper:
    def shape(self, event):
        try:
            body = shaper._shape(event)
            return None if body is None else json.dumps(body, ensure_ascii=False)
        except Exception as error:
            raise failure(error)
