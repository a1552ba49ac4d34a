// Uses the Node client of Toxiproxy: prints what a test asks of it.
const net = require("node:net");
const { Toxiproxy } = require("toxiproxy-node-client");

function roundTrip(address) {
  const [host, port] = address.split(":");
  const begin = process.hrtime.bigint();
  return new Promise((resolve, reject) => {
    const client = net.connect(Number(port), host, () => client.write("x"));
    client.on("error", reject);
    client.on("data", () => {
      client.destroy();
      resolve(Number(process.hrtime.bigint() - begin) / 1e9);
    });
  });
}

async function main([api, upstream]) {
  const toxiproxy = new Toxiproxy(`http://${api}`);
  const told = {};
  const body = { name: "echo", listen: "127.0.0.1:0", upstream, enabled: true };
  let proxy = await toxiproxy.createProxy(body);
  told.before = await roundTrip(proxy.listen);
  const attributes = { latency: 100, jitter: 0 };
  const slow = { name: "slow", type: "latency", stream: "downstream", toxicity: 1, attributes };
  const toxic = await proxy.addToxic(slow);
  await toxic.update({ ...slow, attributes: { latency: 300, jitter: 0 } });
  told.slow = await roundTrip(proxy.listen);
  told.toxics = (await (await fetch(`http://${api}/proxies/echo/toxics`)).json()).length;
  await (await proxy.getToxic("slow")).remove();
  told.after = await roundTrip(proxy.listen);
  const { listen } = proxy;
  proxy = await proxy.update({ name: "echo", listen, upstream, enabled: false });
  told.refused = await roundTrip(listen).then(() => false, () => true);
  proxy = await proxy.update({ name: "echo", listen, upstream, enabled: true });
  await roundTrip(listen);
  const slicer = { name: "", type: "slicer", stream: "downstream", toxicity: 1, attributes: {} };
  told.unknown = await proxy.addToxic(slicer).then(() => "", (error) => error.message);
  told.proxies = Object.keys(await toxiproxy.getAll()).length;
  await toxiproxy.reset();
  await proxy.remove();
  told.finished = Object.keys(await toxiproxy.getAll()).length;
  console.log(JSON.stringify(told));
}

main(process.argv.slice(2));
