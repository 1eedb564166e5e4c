import { nameOf, picture } from "../avatars.js";
import { element, signedIn } from "../site.js";

const user = await signedIn();
if (user) {
  element("greeting", HTMLElement).textContent = `Hola, ${user.name}`;
  element("portrait", HTMLImageElement).src = picture(nameOf(user.url_image));
  element("email", HTMLElement).textContent = user.email;
  element("news", HTMLElement).textContent = user.accept_news === 1 ? "Sí" : "No";
}
