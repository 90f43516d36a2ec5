"""Hands mails over with smtplib: a JSON array of {port, sender, recipients, mail, tls, ca} on standard input; each answer is
{code, text, refused} on standard output, in an array. With `ca`, a file, the certificate must be of that authority."""

import json
import smtplib
import ssl
import sys


def hand_over(order):
    with smtplib.SMTP("127.0.0.1", order["port"], timeout=30) as smtp:
        if order.get("tls"):
            context = ssl.create_default_context(cafile=order.get("ca"))
            if "ca" not in order:
                context.check_hostname = False
                context.verify_mode = ssl.CERT_NONE
            smtp.starttls(context=context)
        mail = order["mail"].replace("\n", "\r\n").encode("utf-8")
        options = ["SMTPUTF8", "BODY=8BITMIME"] if order.get("utf8") else []
        try:
            refused = smtp.sendmail(order["sender"], order["recipients"], mail, options)
        except smtplib.SMTPRecipientsRefused as error:
            code, text = next(iter(error.recipients.values()))
            return {"code": code, "text": text.decode(), "refused": len(error.recipients)}
        except smtplib.SMTPResponseException as error:
            text = error.smtp_error
            return {"code": error.smtp_code, "text": text.decode() if isinstance(text, bytes) else text, "refused": 0}
        return {"code": 250, "text": "", "refused": len(refused)}


json.dump([hand_over(order) for order in json.load(sys.stdin)], sys.stdout)
