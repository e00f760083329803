/** Stylesheet of the pages below /docs: one file, both themes, from a phone to a wide screen. */
export const DOCS_STYLE = `
:root { color-scheme: light dark; --text: #12151a; --soft: #47505e; --line: #d5dae2; --panel: #ffffff; --ground: #f2f4f7; --code: #f7f8fa; --link: #3f44c4; --get: #066c72; --post: #8a4b00; --delete: #a3262f; --good: #0b6b47; --bad: #a3262f; --mark: #fff2c2 }
@media (prefers-color-scheme: dark) { :root { --text: #e9ecf2; --soft: #a3acba; --line: #2a313c; --panel: #0f1217; --ground: #07090c; --code: #0a0d11; --link: #9aa0ff; --get: #4cc9ca; --post: #f0b429; --delete: #ff7a85; --good: #4fcf9a; --bad: #ff7a85; --mark: #4a3a00 } }
* { box-sizing: border-box }
html { scroll-padding-top: 4rem }
body { margin: 0; font: 15px/1.6 "Inter Variable", system-ui, -apple-system, "Segoe UI", sans-serif; color: var(--text); background: var(--ground) }
.skip { position: absolute; left: -99rem } .skip:focus { left: 1rem; top: .5rem; z-index: 3; background: var(--panel); padding: .3rem .6rem }
header { position: sticky; top: 0; z-index: 2; display: flex; justify-content: space-between; align-items: center; gap: 1rem; height: 3rem; padding: 0 1.2rem; background: var(--panel); border-bottom: 1px solid var(--line) }
header nav { display: flex; gap: 1rem; font-size: 13px; white-space: nowrap } .brand { white-space: nowrap } pre > code { display: inline-block; padding-right: 4rem } .brand { font-weight: 650; color: var(--text); text-decoration: none } .brand span { color: var(--soft); font-weight: 400 }
.columns { display: grid; grid-template-columns: 17rem minmax(0, 1fr); max-width: 88rem; margin: 0 auto }
.ways { position: sticky; top: 3rem; height: calc(100vh - 3rem); overflow-y: auto; padding: 1rem 1rem 3rem; border-right: 1px solid var(--line); font-size: 13px }
.ways summary { display: none } .ways h2 { margin: 1.1rem 0 .3rem; font-size: 11px; text-transform: uppercase; letter-spacing: .04em; color: var(--soft) }
.ways ul { list-style: none; margin: 0; padding: 0 } .ways a { display: block; padding: .18rem .4rem; border-radius: 4px; color: var(--text); text-decoration: none; overflow-wrap: anywhere }
.ways a:hover { background: var(--line) } .ways a[aria-current] { font-weight: 600; color: var(--link) } .ways b { display: inline-block; width: 4.4em; font-size: 10px }
.find input { width: 100% } .find ul { max-height: 60vh; overflow-y: auto } .find small { display: block; color: var(--soft) } .find p { color: var(--soft); margin: .4rem }
b.GET { color: var(--get) } b.POST { color: var(--post) } b.DELETE { color: var(--delete) }
main { padding: 1.6rem 2rem 6rem; max-width: 64rem; min-width: 0 } main:focus { outline: 0 }
h1 { font-size: 28px; line-height: 1.2; margin: 0 0 .8rem; letter-spacing: -.01em } h2 { margin: 2.4rem 0 .8rem; font-size: 20px; line-height: 1.3 } h2.subject { margin-top: 3.4rem }
h3 { margin: 1.6rem 0 .5rem; font-size: 16px; overflow-wrap: anywhere } h3 a { color: inherit; text-decoration: none } h4 { margin: 1.1rem 0 .3rem; font-size: 13px } h3 small, h4 small { color: var(--soft); font-weight: 400 }
p { margin: .6rem 0 } .lead { font-size: 16px; color: var(--soft) } .soft, figcaption, small { color: var(--soft) } a { color: var(--link) }
section { background: var(--panel); border: 1px solid var(--line); border-radius: 10px; padding: 1.1rem 1.3rem; margin: 0 0 1.2rem } section > h2:first-child, section > h3:first-child { margin-top: 0 }
section:target { outline: 2px solid var(--link) } tr:target { background: var(--mark) }
.facts { display: flex; flex-wrap: wrap; gap: .4rem } .fact { font-size: 12px; padding: .05rem .55rem; border: 1px solid var(--line); border-radius: 99px; color: var(--soft) } .fact a { color: inherit }
code, pre, textarea { font: 12.5px/1.55 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace } p code, li code, td code { background: var(--code); border: 1px solid var(--line); border-radius: 4px; padding: 0 .25em; overflow-wrap: anywhere } td code { border: 0; padding: 0; background: none; overflow-wrap: normal }
pre { position: relative; overflow-x: auto; max-height: 30rem; padding: .7rem .9rem; border: 1px solid var(--line); border-radius: 6px; background: var(--code); margin: .5rem 0 }
.table { overflow-x: auto; margin: .6rem 0 } table { border-collapse: collapse; width: 100%; font-size: 13px } caption { text-align: left; color: var(--soft); padding: .2rem 0 }
th, td { text-align: left; vertical-align: top; padding: .35rem 1rem .35rem 0; border-bottom: 1px solid var(--line) } th { color: var(--soft); font-weight: 500 } td i { display: block; color: var(--soft); font-style: normal; font-size: 12px }
main details { margin: .5rem 0 } main summary { cursor: pointer; font-size: 13px; color: var(--link) } .languages > details { margin: .1rem 0 }
input, select, textarea, button { font: inherit; font-size: 13px; color: var(--text); background: var(--code); border: 1px solid var(--soft); border-radius: 6px; padding: .35rem .6rem; max-width: 100% } textarea { width: 100%; min-height: 5rem; resize: vertical }
button { cursor: pointer; background: var(--panel) } button:hover { border-color: var(--link); color: var(--link) } button.main { background: var(--link); color: var(--panel); border-color: var(--link) } :focus-visible { outline: 2px solid var(--link); outline-offset: 2px }
button.copy { position: absolute; top: .4rem; right: .4rem; padding: .1rem .5rem; font-size: 11px } .try { border-top: 1px dashed var(--line); margin-top: 1rem; padding-top: .8rem }
.fields { display: grid; grid-template-columns: repeat(auto-fit, minmax(13rem, 1fr)); gap: .7rem } label { display: block; font-size: 12px; color: var(--soft) } label input, label select, label textarea { display: block; width: 100%; margin-top: .2rem }
.row { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; margin: .6rem 0 } .good { color: var(--good) } .bad, .warn { color: var(--bad) } ol.lines { padding-left: 0; list-style: none } ol.lines li { display: grid; grid-template-columns: 7rem minmax(0, 1fr); gap: .6rem; padding: .2rem 0; border-bottom: 1px solid var(--line) } ol.lines span { color: var(--soft); font-size: 12px } ol.lines code { overflow-wrap: anywhere; white-space: pre-wrap } .differs { background: var(--mark) }
figure { margin: 1rem 0 } figure img { max-width: 100%; height: auto; border: 1px solid var(--line); border-radius: 8px; background: #ffffff } figcaption { font-size: 13px }
@media (max-width: 860px) { .columns { display: block } .ways { position: static; height: auto; border-right: 0; border-bottom: 1px solid var(--line); padding: .8rem 1rem } .ways summary { display: block; cursor: pointer; font-weight: 600 } main { padding: 1.2rem 1rem 4rem } section { padding: .9rem } button, input, select, .ways a { min-height: 44px } .ways a { padding: .6rem .4rem } header nav a { padding: .8rem 0 } th, td { padding-right: .7rem } button.copy { min-height: 0 } header { padding: 0 1rem } header nav { gap: .8rem; font-size: 12px } header nav a:last-child { display: none } }
`;
