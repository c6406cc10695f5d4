import net from "node:net";

/** Sends bytes as they are to a service, and reads until it ends the connection. */
export async function sendRawBytes(port: number, bytes: string): Promise<{ head: string; body: string }> {
  const socket = net.connect(port, "127.0.0.1");
  const chunks: Buffer[] = [];
  await new Promise<void>((resolve, reject) => {
    socket.on("data", (chunk) => chunks.push(chunk));
    socket.on("error", reject);
    socket.on("close", () => resolve());
    socket.write(bytes);
  });
  const [head = "", body = ""] = Buffer.concat(chunks)
    .toString("utf8")
    .split(/\r\n\r\n(.*)/s, 2);
  return { head, body };
}
