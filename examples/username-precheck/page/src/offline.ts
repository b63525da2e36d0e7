/**
 * Works without a network after the first load: registers the service worker and tells when the network comes and goes.
 */

export async function workOffline(): Promise<void> {
  if (!("serviceWorker" in navigator)) return;
  try {
    await navigator.serviceWorker.register("/sw.js", { type: "module" });
    await navigator.serviceWorker.ready;
    document.documentElement.dataset.offlineReady = "true";
  } catch {
    // A page that cannot be kept still works while there is a network.
  }
}

export function onNetwork(tell: (online: boolean) => void): void {
  addEventListener("online", () => tell(true));
  addEventListener("offline", () => tell(false));
}
