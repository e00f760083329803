import { button } from './elements.ts';

const KEPT = 'rialto-docs-language';

/** Opening one language opens it everywhere, and the next time too. */
export function rememberLanguage(): void {
  const all = [...document.querySelectorAll<HTMLDetailsElement>('.languages > details')];
  const show = (language: string): void => {
    for (const one of all) one.open = one.dataset['language'] === language;
  };
  const kept = localStorage.getItem(KEPT);
  if (kept !== null && all.some((one) => one.dataset['language'] === kept)) show(kept);
  for (const one of all) {
    one.querySelector('summary')?.addEventListener('click', (event) => {
      event.preventDefault();
      const language = one.dataset['language'] ?? '';
      const before = one.getBoundingClientRect().top;
      localStorage.setItem(KEPT, language);
      show(language);
      // What is above has changed its height; what was clicked stays where it was.
      scrollBy(0, one.getBoundingClientRect().top - before);
    });
  }
}

export function addCopyButtons(): void {
  for (const pre of document.querySelectorAll('pre')) {
    const copy = button(
      'Copy',
      () => {
        const text = pre.querySelector('code')?.textContent ?? '';
        void navigator.clipboard?.writeText(text).then(() => {
          copy.textContent = 'Copied';
          setTimeout(() => {
            copy.textContent = 'Copy';
          }, 1_500);
        });
      },
      'copy',
    );
    pre.append(copy);
  }
}
