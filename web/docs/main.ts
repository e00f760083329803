import { addCopyButtons, rememberLanguage } from './blocks.ts';
import { addPlayground } from './playground.ts';
import { addSearch } from './search.ts';
import { addTryIt } from './try-it.ts';

/** The pages below /docs are complete without this; it adds what needs scripts. */
addSearch();
foldOnPhones();
rememberLanguage();
addCopyButtons();
addTryIt();
addPlayground();

/** Otherwise the navigation would be all that a phone shows. */
function foldOnPhones(): void {
  const contents = document.querySelector<HTMLDetailsElement>('.ways details');
  if (contents !== null && matchMedia('(max-width: 860px)').matches) contents.open = false;
}
