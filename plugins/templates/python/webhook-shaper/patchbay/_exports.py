"""The functions that the host calls."""

import json

from patchbay import failure, shaper
from wit_world.exports.shaper import Body_Json, Body_Skip, Body_Unchanged


class Shaper:
    def shape(self, event):
        try:
            body = shaper._shape(event)
            if body is None:
                return Body_Skip()
            if body is shaper.UNCHANGED:
                return Body_Unchanged()
            return Body_Json(json.dumps(body, ensure_ascii=False))
        except Exception as error:
            raise failure(error)
