/** The gallery's style sheet: the colours and scale of the design, complete because the page stands alone. */
export const GALLERY_STYLE = String.raw`
:root {
  color-scheme: dark;
  --sunken: #0b0d11; --ground: #0f1115; --surface: #15181f; --raised: #1c2029; --line: #222732; --line-strong: #343b4a;
  --ink: #eceef2; --ink-soft: #b0b7c5; --ink-faint: #868fa1; --lamp: #f0b45c; --lamp-soft: rgb(240 180 92 / 13%);
  --moon: #ece7d9; --moon-ink: #16181d; --scrim: rgb(4 6 10 / 78%);
  --done: #6dd09b; --failed: #ff8178; --unknown: #dca6f2; --work: #86acff; --still: #9aa5ba; --invalid: #f3a469;
  --shadow: 0 6px 24px rgb(0 0 0 / 42%), 0 0 0 1px rgb(255 255 255 / 5%);
}
:root[data-theme='light'] {
  color-scheme: light;
  --sunken: #ebe9e3; --ground: #f5f3ee; --surface: #fcfbf8; --raised: #ffffff; --line: #e0dcd2; --line-strong: #c6c0b2;
  --ink: #1c1e24; --ink-soft: #4b505c; --ink-faint: #5f636e; --lamp: #915a08; --lamp-soft: rgb(196 132 32 / 14%);
  --moon: #23262e; --moon-ink: #fbf8f0; --scrim: rgb(48 44 34 / 60%);
  --done: #1b6f43; --failed: #b62f28; --unknown: #84399f; --work: #2b57bf; --still: #566073; --invalid: #98500f;
  --shadow: 0 6px 24px rgb(60 50 20 / 14%), 0 0 0 1px rgb(60 50 20 / 9%);
}
* { box-sizing: border-box; }
html { scroll-padding-top: 150px; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 14px/21px 'Inter Variable', Inter, system-ui, sans-serif; }
h1, h2, h3, p { margin: 0; }
h1 { font-size: 19px; line-height: 26px; font-weight: 620; letter-spacing: -.012em; overflow-wrap: anywhere; }
h2 { font-size: 13px; line-height: 18px; font-weight: 600; color: var(--ink-soft); margin: 28px 0 12px; }
a { color: inherit; text-underline-offset: 3px; text-decoration-color: var(--line-strong); }
a:hover { text-decoration-color: currentColor; }
button, input, select { font: inherit; color: inherit; }
button { cursor: pointer; }
:focus-visible { outline: 2px solid var(--lamp); outline-offset: 2px; }
kbd { font: 11px/16px ui-monospace, monospace; border: 1px solid var(--line-strong); border-radius: 4px; padding: 0 4px; color: var(--ink-faint); }
[hidden] { display: none !important; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.skip { position: absolute; left: -999px; }
.skip:focus { left: 16px; top: 10px; z-index: 9; background: var(--raised); padding: 6px 12px; border-radius: 7px; }
.top { position: sticky; top: 0; z-index: 4; display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 12px 24px; align-items: center; padding: 18px clamp(16px, 4vw, 48px) 12px; background: color-mix(in srgb, var(--ground) 88%, transparent); backdrop-filter: blur(14px); border-bottom: 1px solid var(--line); }
.name { display: flex; gap: 14px; align-items: center; min-width: 0; }
.name p { color: var(--ink-faint); font-size: 12px; line-height: 17px; }
.mark { width: 34px; height: 34px; flex: none; }
.mark path { fill: var(--ink); } .mark circle { fill: var(--lamp); }
.rehearsal { flex: none; font-size: 11px; line-height: 16px; font-weight: 560; color: var(--lamp); background: var(--lamp-soft); border-radius: 99px; padding: 2px 9px; }
.tools { display: flex; gap: 8px; align-items: center; }
.search { position: relative; display: block; }
.search input { width: clamp(150px, 24vw, 300px); padding-right: 30px; }
.search kbd { position: absolute; right: 8px; top: 7px; }
.search input:focus + kbd { opacity: 0; }
.tools input, .tools select, .quiet { height: 32px; border: 1px solid var(--line-strong); border-radius: 7px; background: var(--surface); padding: 0 10px; }
.tools input::placeholder { color: var(--ink-faint); }
.quiet { width: 32px; padding: 0; display: grid; place-items: center; }
.quiet:hover, .tools select:hover { background: var(--raised); }
.quiet svg { width: 16px; height: 16px; }
.chips { grid-column: 1 / -1; display: flex; flex-wrap: wrap; gap: 6px; }
.chip { display: inline-flex; gap: 7px; align-items: center; height: 28px; border: 1px solid var(--line); border-radius: 99px; background: none; padding: 0 12px 0 10px; font-size: 12.5px; color: var(--ink-soft); }
.chip:hover { background: var(--raised); }
.chip[aria-pressed='true'] { background: var(--moon); color: var(--moon-ink); border-color: transparent; }
.chip b { font-weight: 560; font-variant-numeric: tabular-nums; opacity: .8; }
.chip svg, .status svg { width: 13px; height: 13px; flex: none; color: var(--tone, var(--ink-faint)); }
.chip[aria-pressed='true'] svg { color: inherit; }
svg.line { fill: none; stroke: currentColor; stroke-width: 1.7; stroke-linecap: round; stroke-linejoin: round; }
.gap { width: 1px; background: var(--line); margin: 4px 6px; }
main { padding: 0 clamp(16px, 4vw, 48px) 40px; }
.notice { color: var(--ink-soft); padding: 24px 0; }
noscript .notice { padding: 24px clamp(16px, 4vw, 48px); }
.files { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(236px, 100%), 1fr)); gap: 18px; }
.tile { display: flex; flex-direction: column; min-width: 0; background: var(--surface); border: 1px solid var(--line); border-radius: 11px; overflow: hidden; content-visibility: auto; contain-intrinsic-size: auto 260px; transition: border-color .12s, transform .12s; }
.tile:hover, .tile:focus-within { border-color: var(--line-strong); }
.tile.earlier .stage > :not(.open, .play) { opacity: .62; }
.tile.earlier:hover .stage > *, .tile.earlier:focus-within .stage > * { opacity: 1; }
.stage { position: relative; aspect-ratio: 16 / 10; background: var(--sunken); overflow: hidden; display: grid; }
.stage > * { grid-area: 1 / 1; width: 100%; height: 100%; min-width: 0; }
.stage img, .stage video { object-fit: cover; display: block; }
.cover { display: block; background: radial-gradient(120% 90% at 20% 0%, hsl(var(--hue) 42% 46% / 85%), transparent 62%), radial-gradient(110% 120% at 100% 100%, hsl(calc(var(--hue) + 62) 46% 34% / 90%), transparent 60%), hsl(calc(var(--hue) + 24) 34% 17%); }
.paper { padding: 14px 16px; white-space: pre-wrap; overflow: hidden; overflow-wrap: anywhere; font: 12px/18px Georgia, 'Times New Roman', serif; color: var(--ink-soft); background: var(--raised); mask-image: linear-gradient(#000 60%, transparent); }
.open { border: 0; background: none; padding: 0; z-index: 1; }
.open:focus-visible { outline-offset: -3px; }
.play { z-index: 2; place-self: center; width: 52px !important; height: 52px !important; border: 0; border-radius: 50%; background: rgb(10 12 16 / 56%); color: #fff; display: grid; place-items: center; backdrop-filter: blur(6px); transition: transform .12s, background .12s; }
.play:hover { transform: scale(1.07); background: rgb(10 12 16 / 76%); }
.play svg { width: 22px; height: 22px; fill: currentColor; }
.playing .play { background: var(--lamp); color: #14161b; }
.kind { z-index: 1; place-self: start end; width: auto !important; height: auto !important; margin: 10px; font-size: 11px; line-height: 16px; color: #fff; background: rgb(10 12 16 / 56%); border-radius: 5px; padding: 1px 7px; pointer-events: none; backdrop-filter: blur(6px); }
.words { padding: 11px 14px 13px; min-width: 0; }
.words h3 { font-size: 13.5px; line-height: 19px; font-weight: 560; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
.words p { color: var(--ink-faint); font-size: 12px; line-height: 17px; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
.group { border: 1px solid var(--line); border-radius: 11px; background: var(--surface); margin-bottom: 10px; }
.group summary { list-style: none; cursor: pointer; display: grid; grid-template-columns: auto 1fr auto; gap: 2px 12px; align-items: center; padding: 12px 16px; }
.group summary::-webkit-details-marker { display: none; }
.group summary b { font-weight: 580; } .group summary em { grid-column: 2; font-style: normal; color: var(--ink-faint); font-size: 12.5px; line-height: 18px; }
.group summary .number { grid-row: 1 / 3; grid-column: 3; font-variant-numeric: tabular-nums; color: var(--ink-soft); }
.group ul { margin: 0; padding: 0 16px 10px 41px; list-style: none; }
.group li { border-top: 1px solid var(--line); padding: 9px 0; display: grid; grid-template-columns: minmax(110px, 190px) minmax(0, 1fr); gap: 2px 18px; }
.group li p { overflow-wrap: anywhere; } .group li .why { grid-column: 2; color: var(--ink-faint); font-size: 12.5px; line-height: 18px; }
.group li .id { color: var(--ink-soft); font-size: 12.5px; overflow-wrap: anywhere; }
.status { display: inline-flex; gap: 6px; align-items: center; }
footer { border-top: 1px solid var(--line); padding: 18px clamp(16px, 4vw, 48px) 110px; color: var(--ink-faint); font-size: 12.5px; display: flex; flex-wrap: wrap; gap: 8px 32px; justify-content: space-between; }
.keys { display: flex; gap: 6px; align-items: center; } .keys kbd:not(:first-child) { margin-left: 10px; }
dialog { width: min(1180px, 94vw); max-height: 92vh; padding: 0; border: 0; border-radius: 16px; background: var(--surface); color: inherit; box-shadow: var(--shadow); overflow: hidden; }
dialog::backdrop { background: var(--scrim); }
dialog[open] { display: grid; grid-template-columns: minmax(0, 1.7fr) minmax(280px, 1fr); }
.big { background: var(--sunken); display: grid; place-items: center; min-height: 320px; max-height: 92vh; overflow: auto; position: relative; }
.big img, .big video { max-width: 100%; max-height: 92vh; display: block; }
.big .cover { position: absolute; inset: 0; } .big audio { position: relative; width: min(86%, 460px); }
.big .paper { width: 100%; height: 100%; mask-image: none; overflow: auto; font-size: 15px; line-height: 25px; padding: 34px 40px; max-height: 92vh; }
.side { padding: 22px 24px 26px; overflow: auto; max-height: 92vh; }
.side h2 { margin: 0 0 4px; font-size: 17px; line-height: 24px; color: var(--ink); overflow-wrap: anywhere; padding-right: 40px; }
.side .prompt { white-space: pre-wrap; overflow-wrap: anywhere; margin: 14px 0; color: var(--ink-soft); }
.side dl { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: 5px 16px; margin: 16px 0 0; font-size: 12.5px; line-height: 18px; border-top: 1px solid var(--line); padding-top: 14px; }
.side dt { color: var(--ink-faint); } .side dd { margin: 0; overflow-wrap: anywhere; white-space: pre-wrap; }
.side .code { font: 11.5px/17px ui-monospace, 'Cascadia Mono', monospace; }
.side .row { display: flex; gap: 8px; margin-top: 18px; }
.side .row a, .side .row button { display: inline-flex; align-items: center; height: 34px; padding: 0 14px; border-radius: 7px; border: 1px solid var(--line-strong); background: none; text-decoration: none; }
.side .row a { background: var(--moon); color: var(--moon-ink); border-color: transparent; font-weight: 560; }
.close { position: absolute; right: 14px; top: 14px; z-index: 3; }
.player { position: fixed; left: 50%; bottom: 16px; translate: -50% 0; z-index: 5; width: min(720px, calc(100vw - 32px)); display: grid; grid-template-columns: auto minmax(0, 1fr) auto; gap: 14px; align-items: center; padding: 10px 14px; border-radius: 16px; background: var(--raised); box-shadow: var(--shadow); }
.player .now { min-width: 0; } .player .now p { white-space: nowrap; overflow: hidden; text-overflow: ellipsis; font-weight: 560; }
.player input { width: 100%; accent-color: var(--lamp); height: 16px; margin: 2px 0 0; display: block; }
.player .time { font-size: 12px; color: var(--ink-faint); font-variant-numeric: tabular-nums; white-space: nowrap; }
.player .buttons { display: flex; gap: 6px; }
.player button { width: 36px; height: 36px; border-radius: 50%; border: 0; background: none; display: grid; place-items: center; }
.player button:hover { background: var(--line); } .player button.main { background: var(--moon); color: var(--moon-ink); }
.player svg { width: 17px; height: 17px; fill: currentColor; }
@media (max-width: 760px) { .top { grid-template-columns: 1fr; position: static; } .tools { flex-wrap: wrap; } dialog[open] { grid-template-columns: 1fr; overflow: auto; } .big { min-height: 220px; max-height: 50vh; } .side { max-height: none; } .group li { grid-template-columns: 1fr; } .group li .why { grid-column: 1; } }
@media (prefers-reduced-motion: reduce) { * { transition: none !important; } }
@media print { .top { position: static; } .tools, .player, .keys { display: none; } }
`;
