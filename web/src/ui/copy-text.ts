/**
 * Puts text into the clipboard and tells whether that worked. The clipboard interface exists on
 * secure origins only; a portal that is reached over plain HTTP by its host name uses the older
 * command.
 */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement('textarea');
    area.value = text;
    area.style.position = 'fixed';
    area.style.opacity = '0';
    document.body.append(area);
    area.select();
    const copied = document.execCommand('copy');
    area.remove();
    return copied;
  }
}
