import { element } from './elements.ts';

type Entry = { readonly title: string; readonly words: string; readonly place: string };
const SHOWN_MAX = 30;

/** Endpoints, sections of guides and codes, by any of their words. */
export function addSearch(): void {
  const place = document.querySelector('.find');
  if (place === null) return;
  const input = element('input', {
    ...{ type: 'search', placeholder: 'Search (press /)', 'aria-label': 'Search' },
    autocomplete: 'off',
  });
  const results = element('ul', { 'aria-label': 'Results' });
  place.append(input, results);
  let entries: Promise<readonly Entry[]> | undefined;
  const look = async (): Promise<void> => {
    const query = input.value.trim().toLowerCase();
    if (query === '') {
      results.replaceChildren();
      return;
    }
    entries ??= fetch('/docs/search.json').then((answer) => answer.json());
    const found = matching(await entries, query);
    if (input.value.trim().toLowerCase() !== query) return;
    const rows = found
      .slice(0, SHOWN_MAX)
      .map(({ title, words, place: href }) =>
        element('li', {}, element('a', { href }, title, element('small', {}, words))),
      );
    results.replaceChildren(
      ...(rows.length === 0 ? [element('p', {}, 'Nothing has these words.')] : rows),
    );
  };
  input.addEventListener('input', () => void look());
  input.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter') return;
    results.querySelector('a')?.click();
  });
  document.addEventListener('keydown', (event) => {
    const isTyping =
      event.target instanceof HTMLElement && event.target.matches('input, textarea, select');
    if (event.key !== '/' || isTyping) return;
    event.preventDefault();
    input.focus();
  });
}

/** All words must occur; those with more of them in the title come first. */
export function matching(entries: readonly Entry[], query: string): readonly Entry[] {
  const words = query.split(/\s+/);
  const count = (text: string): number =>
    words.filter((word) => text.toLowerCase().includes(word)).length;
  return entries
    .filter(({ title, words: more }) => count(`${title} ${more}`) === words.length)
    .sort((one, other) => count(other.title) - count(one.title));
}
