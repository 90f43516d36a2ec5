// The page without a session: the login of users, or that of operators.
import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { Login } from "#app/login.js";
import { OperatorLogin } from "#app/operator-login.js";
import { path } from "#app/router.js";

export function Entrance() {
  const [operator, setOperator] = useState(path.value.startsWith("/operators"));
  return operator ? html`<${OperatorLogin} onUser=${() => setOperator(false)} />` : html`<${Login} onOperator=${() => setOperator(true)} />`;
}
