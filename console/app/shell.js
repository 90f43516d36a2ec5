// The frame of every page: navigation by role, the viewer's menu, the state of the connection, palette, overlay and reports.
import { html } from "htm/preact";
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Account, accountOpen } from "#app/account.js";
import { api } from "#app/api.js";
import { Help, helpOpen } from "#app/help.js";
import { LANGUAGES, language, t, useLanguage } from "#app/i18n.js";
import { useShortcuts } from "#app/keys.js";
import { connect, liveState } from "#app/live.js";
import { Logo } from "#app/logo.js";
import { navCounts, navEntries } from "#app/navigation.js";
import { CurrentPage } from "#app/page.js";
import { Palette, paletteOpen, useCommands } from "#app/palette.js";
import { prefer, preferences } from "#app/preferences.js";
import { Link, go, match, path } from "#app/router.js";
import { DESK, GROUPS, pagesOf } from "#app/routes.js";
import { hasRole, logOut, refreshViewer, session, viewer } from "#app/session.js";
import { Avatar, Button, Keys } from "#ui/controls.js";
import { Questions } from "#ui/dialog.js";
import { Icon } from "#ui/icons.js";
import { Menu } from "#ui/menu.js";
import { Toasts, reportFault } from "#ui/toast.js";

const drawer = signal(false);

export function Shell() {
  const wide = preferences.value.wideNav;
  const pages = pagesOf(viewer.value?.role ?? "");
  useEffect(() => {
    drawer.value = false;
  }, [path.value]);
  useEffect(watch, []);
  useEffect(offer, []);
  useShortcuts([
    { keys: "Ctrl+K", text: t("palette.title"), anywhere: true, run: () => (paletteOpen.value = true) },
    { keys: "?", text: t("shell.shortcuts"), run: () => (helpOpen.value = true) },
    { keys: "[", text: t("shell.toggleNav"), run: () => prefer({ wideNav: !preferences.value.wideNav }) },
    ...pages.filter((page) => page.keys).map((page) => ({ keys: page.keys ?? "", text: t("shell.goTo", { page: t(page.title) }), run: () => go(page.to) })),
  ]);
  useCommands({
    title: t("palette.pages"),
    commands: () => [
      ...pages.filter((page) => page.group).map((page) => ({ text: t(page.title), icon: page.icon, keys: page.keys, run: () => go(page.to) })),
      { text: t("shell.themeLight"), icon: "sun", run: () => prefer({ theme: "light" }) },
      { text: t("shell.themeDark"), icon: "moon", run: () => prefer({ theme: "dark" }) },
      { text: t("shell.shortcuts"), icon: "keyboard", keys: "?", run: () => (helpOpen.value = true) },
      { text: t("shell.logOut"), icon: "logout", run: logOut },
    ],
  });
  return html`<div class=${`shell ${wide ? "wide" : ""} ${drawer.value ? "drawer" : ""}`}>
    <a class="skip" href="#main" onClick=${skip}>${t("shell.skip")}</a>
    <${Navigation} pages=${pages} />
    <div class="shell-scrim" onClick=${() => (drawer.value = false)}></div>
    <div class="shell-main">
      <header class="shell-top"><${Button} kind="quiet" icon="menu" label=${t("shell.menu")} onClick=${() => (drawer.value = true)} /><${Logo} /><strong>Patchbay</strong></header>
      <${Connection} />
      <main id="main" tabindex="-1"><${CurrentPage} /></main>
    </div>
    <${Palette} /><${Help} /><${Account} /><${Questions} /><${Toasts} />
  </div>`;
}

/** Roles with the page of messages find messages in the palette on every page. @returns {(() => void) | undefined} ends it */
function offer() {
  if (!pagesOf(viewer.peek()?.role ?? "").some((page) => page.to === "/messages")) return undefined;
  return whileShown(import("../messages/commands.js").then(({ offerMessages }) => offerMessages));
}

/** Begins something when its module is there, unless the shell has gone by then. @param {Promise<() => () => void>} loaded @returns {() => void} ends it */
function whileShown(loaded) {
  let left = false;
  let stop = () => {};
  loaded.then((begin) => {
    if (!left) stop = begin();
  }, () => {});
  return () => {
    left = true;
    stop();
  };
}

/** Agents hear of chats on every page. @returns {(() => void) | undefined} ends it */
function watch() {
  if (!hasRole(...DESK)) return undefined;
  return whileShown(import("../inbox/watch.js").then(({ watchDesk }) => watchDesk));
}

/** @param {Event} event */
function skip(event) {
  event.preventDefault();
  document.getElementById("main")?.focus();
}

/** @param {{pages: import("#app/routes.js").Page[]}} props */
function Navigation({ pages }) {
  const groups = GROUPS.map((group) => ({ group, pages: pages.filter((page) => page.group === group) })).filter((one) => one.pages.length);
  return html`<nav class="nav" aria-label=${t("shell.navigation")}>
    <div class="nav-head"><${Logo} /><strong class="nav-label grow">Patchbay</strong></div>
    <button type="button" class="nav-search" onClick=${() => (paletteOpen.value = true)}>
      <${Icon} name="search" /><span class="hidden-text">${t("palette.title")}</span><span class="nav-label grow">${t("palette.short")}</span><span class="nav-label"><${Keys} keys="Ctrl+K" /></span></button>
    <div class="nav-groups scroll" tabindex="-1">${groups.map((one) => html`<section key=${one.group} aria-label=${t(`nav.groups.${one.group}`)}>
      <div class="nav-title nav-label" aria-hidden="true">${t(`nav.groups.${one.group}`)}</div>
      <ul>${one.pages.map((page) => html`<${NavEntry} key=${page.path} page=${page} />`)}</ul></section>`)}</div>
    <${ViewerMenu} />
  </nav>`;
}

/** @param {{page: import("#app/routes.js").Page}} props */
function NavEntry({ page }) {
  const here = Boolean(match(page.path, path.value));
  const below = here && navEntries.value[page.to];
  const count = navCounts.value[page.to];
  return html`<li><${Link} to=${page.to} class="nav-entry" aria-current=${here ? (below ? "true" : "page") : undefined} title=${t(page.title)}>
    <${Icon} name=${page.icon} /><span class="nav-label grow">${t(page.title)}</span>${count ? html`<span class="count nav-count">${count > 99 ? "99+" : count}</span>` : null}<//>
    ${below && html`<ul class="nav-label nav-below">${below.map((one) => html`<li key=${one.to}><${Link} to=${one.to} class="nav-entry"
      aria-current=${path.value === one.to || path.value.startsWith(`${one.to}/`) ? "page" : undefined}><span class="grow clip">${one.text}</span><span class="tiny soft number">${one.count}</span><//></li>`)}</ul>`}</li>`;
}

function ViewerMenu() {
  const user = viewer.value;
  if (!user) return null;
  const choose = (/** @type {string} */ name) => {
    prefer({ language: name });
    useLanguage(name);
  };
  const { theme } = preferences.value;
  const role = t(`roles.${user.role}`);
  const items = () => [
    ...(user.email ? [{ title: `${user.email} · ${session.value?.clientRef}` }] : []),
    ...(hasRole("ADMIN", "SUPERVISOR", "AGENT") ? [{ text: t("shell.available"), icon: "headset", checked: Boolean(user.available), run: () => setAvailable(!user.available) }] : []),
    { divider: true },
    { title: t("shell.theme") },
    ...(/** @type {const} */ ([["system", "settings"], ["light", "sun"], ["dark", "moon"]])).map(([name, icon]) => ({ text: t(`shell.theme_${name}`), icon, checked: theme === name, run: () => prefer({ theme: name }) })),
    { title: t("shell.language") },
    ...Object.entries(LANGUAGES).map(([name, text]) => ({ text, icon: "globe", checked: language() === name, run: () => choose(name) })),
    { divider: true },
    ...(user.email ? [{ text: t("account.title"), icon: "key", run: () => (accountOpen.value = true) }] : []),
    { text: t("shell.shortcuts"), icon: "keyboard", keys: "?", run: () => (helpOpen.value = true) },
    { text: t("shell.apiDocs"), icon: "book", run: () => void open("/docs", "_blank", "noopener") },
    { text: t("shell.logOut"), icon: "logout", run: logOut },
  ];
  return html`<div class="nav-viewer"><${Menu} label=${t("shell.viewerMenu", { name: user.name })} kind="quiet wide" items=${items}>
    <span class="viewer-face"><${Avatar} name=${user.name} small=${true} />${user.available && html`<i class="dot success"></i>`}</span>
    <span class="nav-label grow viewer-name"><span class="clip">${user.name}</span>${role !== user.name && html`<span class="tiny soft clip">${role}</span>`}</span><//></div>`;
}

/** @param {boolean} available */
async function setAvailable(available) {
  try {
    await api.put("/api/v1/users/me/availability", { available });
    await refreshViewer();
  } catch (error) {
    reportFault(error);
  }
}

function Connection() {
  if (liveState.value !== "lost") return null;
  return html`<div class="banner warning" role="status"><${Icon} name="wifiOff" /><span class="grow">${t("shell.lost")}</span>
    <${Button} kind="small" onClick=${connect}>${t("shell.reconnect")}<//></div>`;
}
