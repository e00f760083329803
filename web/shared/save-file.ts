/** Files that the page saves through the browser. */

export type FileWriter = {
  write(text: string): Promise<void>;
  close(): Promise<void>;
};
type Picker = (options: object) => Promise<{ createWritable(): Promise<FileWriter> }>;

export function saveFile(name: string, text: string): void {
  download(name, [text]);
}

/**
 * A file that is written while data is read, if the browser allows it; otherwise one built in memory. Undefined if
 * the user chose none.
 */
export async function openFile(name: string): Promise<FileWriter | undefined> {
  const pick = (globalThis as { readonly showSaveFilePicker?: Picker }).showSaveFilePicker;
  if (pick !== undefined) {
    try {
      return await (await pick({ suggestedName: name })).createWritable();
    } catch (reason) {
      if (reason instanceof DOMException && reason.name === 'AbortError') return undefined;
      throw reason;
    }
  }
  const parts: string[] = [];
  return {
    write: async (text) => void parts.push(text),
    close: async () => download(name, parts),
  };
}

function download(name: string, parts: string[]): void {
  const url = URL.createObjectURL(new Blob(parts, { type: 'text/csv;charset=utf-8' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
