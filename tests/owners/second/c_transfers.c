/* Handles of libcurl that are prepared and forgotten. */
#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static CURL *handles[5000];

__attribute__((noinline)) static void start_transfer(int number)
{
    char url[100], body[8000];
    snprintf(url, sizeof url, "http://127.0.0.1/%d", number);
    memset(body, 'x', sizeof body - 1);
    body[sizeof body - 1] = 0;
    CURL *h = curl_easy_init();
    curl_easy_setopt(h, CURLOPT_URL, url);
    curl_easy_setopt(h, CURLOPT_COPYPOSTFIELDS, body); /* guilty */
    handles[number] = h;
}

__attribute__((noinline)) static void read_hosts(void)
{
    char *volatile hosts = malloc(500000);
    hosts[0] = 0;
}

int main(void)
{
    curl_global_init(CURL_GLOBAL_ALL);
    read_hosts();
    for (int i = 0; i < 4000; i++)
        start_transfer(i);
    return 0;
}
