/** Tokens of the stylesheet for who draws on a canvas; read once a drawing, not once a bar. */
export function tokens(): (name: string) => string {
  const style = getComputedStyle(document.documentElement);
  return (name) => style.getPropertyValue(name).trim();
}
