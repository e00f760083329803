/** Tokens of the stylesheet for drawing on a canvas; read once per drawing, not once per bar. */
export function tokens(): (name: string) => string {
  const style = getComputedStyle(document.documentElement);
  return (name) => style.getPropertyValue(name).trim();
}
