/** Of the pages below /docs, which have no other file. */
export const REFERENCE_STYLE = `
:root { --text: #12151a; --soft: #47505e; --line: #d5dae2; --panel: #ffffff; --ground: #f2f4f7; --link: #3f44c4; --get: #066c72; --post: #8a4b00 }
@media (prefers-color-scheme: dark) { :root { --text: #e9ecf2; --soft: #a3acba; --line: #2a313c; --panel: #0f1217; --ground: #07090c; --link: #9aa0ff; --get: #4cc9ca; --post: #f0b429 } }
* { box-sizing: border-box }
body { margin: 0; font: 15px/1.55 system-ui, sans-serif; color: var(--text); background: var(--ground); display: grid; grid-template-columns: 19rem minmax(0, 1fr) }
nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1rem; border-right: 1px solid var(--line); font-size: 13px }
nav ul { list-style: none; margin: 0; padding: 0 } nav ul ul { margin: .2rem 0 .8rem; padding-left: .6rem; border-left: 1px solid var(--line) }
nav ul ul a { display: block; padding: .12rem 0; overflow-wrap: anywhere } nav b { font-size: 10px; color: var(--soft) }
main { padding: 1.5rem 2rem 6rem; max-width: 70rem; min-width: 0 }
h1 { font-size: 28px; line-height: 1.2; margin: 0 0 1rem } h2 { margin: 3rem 0 1rem; font-size: 20px } h3 { margin: 0 0 .4rem; font-size: 16px; overflow-wrap: anywhere }
h3 b { color: var(--post) } a { color: var(--link) }
section { background: var(--panel); border: 1px solid var(--line); border-radius: 8px; padding: 1rem 1.2rem; margin: 0 0 1rem; scroll-margin-top: 1rem }
section h2 { margin: 0 0 .6rem } code, pre { font: 13px/1.5 ui-monospace, SFMono-Regular, Menlo, monospace }
pre { overflow-x: auto; padding: .7rem .9rem; border: 1px solid var(--line); border-radius: 6px; background: var(--ground); margin: .8rem 0 }
table { border-collapse: collapse; width: 100%; margin: .8rem 0; font-size: 13px; display: block; overflow-x: auto }
caption { text-align: left; color: var(--soft); padding: .2rem 0 } th, td { text-align: left; vertical-align: top; padding: .3rem 1rem .3rem 0; border-bottom: 1px solid var(--line) }
th { color: var(--soft); font-weight: 500 } :target { outline: 2px solid var(--link) }
@media (max-width: 800px) { body { display: block } nav { position: static; height: auto; max-height: 40vh; border-right: 0; border-bottom: 1px solid var(--line) } main { padding: 1rem } }
`;
