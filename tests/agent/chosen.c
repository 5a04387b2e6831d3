/*
 * chosen.c: a program that calls choice.c.
 */
#include "scene.h"

int chosen(void);

static void scene_chosen(void)
{
    require(chosen() == 7, "chosen");
}

int main(int argc, char **argv)
{
    static const struct scene scenes[] = {{"chosen", scene_chosen}};
    for (int i = 0; i < 13; i++)
        keep();
    return play(scenes, 1, argc, argv);
}
