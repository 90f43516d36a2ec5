// The page without a session: the login of users, or that of operators, the way back from a login provider, or a link to the webhooks.
import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { LinkEntrance, linkToken } from "#app/link.js";
import { Login } from "#app/login.js";
import { isReturning, OpenidReturn } from "#app/openid.js";
import { OperatorLogin } from "#app/operator-login.js";
import { path } from "#app/router.js";

export function Entrance() {
  const [operator, setOperator] = useState(path.value.startsWith("/operators"));
  const [returning, setReturning] = useState(isReturning());
  const [fault, setFault] = useState("");
  const fail = (/** @type {string} */ text) => {
    setFault(text);
    setReturning(false);
  };
  if (linkToken.value) return html`<${LinkEntrance} />`;
  if (returning) return html`<${OpenidReturn} onFault=${fail} />`;
  return operator ? html`<${OperatorLogin} onUser=${() => setOperator(false)} />` : html`<${Login} fault=${fault} onOperator=${() => setOperator(true)} />`;
}
