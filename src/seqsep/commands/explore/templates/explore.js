"use strict";
// Every page works without this script. It answers a form in place, and shows one step at a time.

const DELAY = 150; // milliseconds after the last change of a form

function answerInPlace(form) {
  const answer = document.getElementById(form.dataset.live);
  let waiting = 0;
  let latest = 0;

  async function ask(submitter) {
    const number = ++latest;
    const query = new URLSearchParams(new FormData(form));
    if (submitter && submitter.name) query.set(submitter.name, submitter.value);
    const address = `${location.pathname}?${query}`;
    answer.setAttribute("aria-busy", "true");
    try {
      const response = await fetch(address, { credentials: "same-origin" });
      const page = new DOMParser().parseFromString(await response.text(), "text/html");
      if (number !== latest) return;
      const fresh = page.getElementById(form.dataset.live) || page.querySelector("[role=alert]");
      if (fresh) answer.replaceChildren(...(fresh.id ? fresh.childNodes : [fresh]));
      replaceHelp(page, form);
      replaceFooter(page);
      history.replaceState(null, "", address);
      startSteps(answer);
    } catch {
      form.submit();
    } finally {
      if (number === latest) answer.removeAttribute("aria-busy");
    }
  }

  form.addEventListener("input", (event) => {
    const output = form.querySelector(`output[for="${event.target.id}"]`);
    if (output) output.value = event.target.value;
    clearTimeout(waiting);
    waiting = setTimeout(() => form.checkValidity() && ask(null), DELAY);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    clearTimeout(waiting);
    ask(event.submitter);
  });
}

function replaceHelp(page, form) {
  for (const small of form.querySelectorAll("small[id]")) {
    const fresh = page.getElementById(small.id);
    if (fresh) small.textContent = fresh.textContent;
  }
}

function replaceFooter(page) {
  const shown = document.querySelector("footer code");
  const fresh = page.querySelector("footer code");
  if (shown && fresh) shown.textContent = fresh.textContent;
}

// A list of steps: one at a time, with buttons and the arrow keys.
function startSteps(inside) {
  for (const list of inside.querySelectorAll("[data-steps]")) {
    const steps = [...list.children];
    if (steps.length < 2 || list.dataset.started) continue;
    list.dataset.started = "yes";
    let place = 0;
    const bar = document.createElement("div");
    bar.className = "player";
    const [before, after, all] = ["Previous", "Next", "All steps"].map((words) => {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "second";
      button.textContent = words;
      return button;
    });
    const said = document.createElement("span");
    said.setAttribute("role", "status");
    bar.append(before, after, all, said);
    list.before(bar);

    const showAll = () => {
      steps.forEach((step) => { step.hidden = false; });
      said.textContent = `All ${steps.length} steps`;
      place = -1;
      before.disabled = true;
      after.disabled = false;
    };
    const show = (next) => {
      place = Math.max(0, Math.min(steps.length - 1, next));
      steps.forEach((step, number) => { step.hidden = number !== place; });
      said.textContent = `Step ${place + 1} of ${steps.length}`;
      before.disabled = place === 0;
      after.disabled = place === steps.length - 1;
    };
    before.addEventListener("click", () => show(place - 1));
    after.addEventListener("click", () => show(place + 1));
    all.addEventListener("click", showAll);
    bar.addEventListener("keydown", (event) => {
      const move = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (move) { event.preventDefault(); show(place + move); }
    });
    if (list.dataset.steps === "all") showAll();
    else show(0);
  }
}

// A part of a page that changes while models train: it is read again every few seconds, unless the reader stops it.
const FRESH = 4000; // milliseconds between two requests, or ten times as long as an answer takes

function keepFresh(part) {
  const stop = document.createElement("button");
  stop.type = "button";
  stop.className = "second";
  const said = document.createElement("span");
  const bar = document.createElement("div");
  bar.className = "player";
  bar.append(stop, said);
  part.after(bar);
  let running = false;
  const show = (now) => {
    running = now;
    stop.textContent = now ? "Stop the updates" : "Continue the updates";
  };

  async function ask() {
    let wait = FRESH;
    if (running && document.visibilityState === "visible") {
      const began = performance.now();
      try {
        const response = await fetch(location.href, { credentials: "same-origin" });
        const page = new DOMParser().parseFromString(await response.text(), "text/html");
        const fresh = page.getElementById(part.id);
        if (fresh && running && !part.contains(document.activeElement)) {
          if (!fresh.isEqualNode(part)) part.replaceChildren(...fresh.childNodes);
          said.textContent = `Last read at ${new Date().toLocaleTimeString()}`;
        }
      } catch {
        said.textContent = "The server does not answer.";
      }
      wait = Math.max(FRESH, 10 * (performance.now() - began));
    }
    setTimeout(ask, wait);
  }

  stop.addEventListener("click", () => show(!running));
  show(true);
  setTimeout(ask, FRESH);
}

// A file that is dropped on a form becomes the form's file.
function takeDrops(form) {
  const field = form.querySelector("input[type=file]");
  form.addEventListener("dragover", (event) => event.preventDefault());
  form.addEventListener("drop", (event) => {
    event.preventDefault();
    if (event.dataTransfer.files.length) field.files = event.dataTransfer.files;
  });
}

document.querySelectorAll("form[data-live]").forEach(answerInPlace);
document.querySelectorAll("form[data-drop]").forEach(takeDrops);
document.querySelectorAll("[data-fresh]").forEach(keepFresh);
startSteps(document);
